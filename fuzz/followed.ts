import type { FuzzRequest } from './requests.ts';
import { pick, type Random, valueFor } from './values.ts';

const cursors = [
  '',
  '0',
  '1',
  '-1',
  '1.5',
  '999999999',
  '9999999999',
  '1e9',
  'end',
  'AAAA',
  'eyJ0eCI6MX0',
  '%00',
  '{"tx":1}',
  '1-1',
  '9223372036854775808-1',
  'x'.repeat(5_000),
] as const;
const urls = [
  'https://127.0.0.1:9/',
  'http://127.0.0.1:9/',
  'http://127.0.0.1:9/#fragment',
  'https://user:password@127.0.0.1:9/',
  'https://127.0.0.1:99999/',
  'https://127.1/',
  'https://0x7f000001/',
  'https://2130706433/',
  'https://[::1]/',
  'https://[::ffff:0:127.0.0.1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[fe80::1%25eth0]/',
  'https://169.254.169.254/latest/meta-data',
  'https://localhost/',
  'https://a..b/',
  `https://${'a'.repeat(64)}.invalid/`,
  `https://127.0.0.1:9/${'a'.repeat(2_100)}`,
  'https://xn--a.invalid/',
  'https://nobody.invalid/',
  'https:/127.0.0.1',
  '//127.0.0.1/',
  'ftp://127.0.0.1/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:text/plain,x',
  ' https://127.0.0.1:9/\r\nx: y',
  'https://127.0.0.1:9/\0',
  '\ud800',
  '',
] as const;

const knownId = (random: Random) =>
  encodeURIComponent(String(valueFor({ type: 'string', format: 'uuid' }, random)).toWellFormed());

/** A stream of events from an odd place, whose client hangs up. */
export function nextStream(random: Random): FuzzRequest {
  const path = random() < 0.5 ? '/api/v1/changes/events' : `/api/v1/recordings/${knownId(random)}/events`;
  const query = random() < 0.5 ? `?since=${encodeURIComponent(pick(random, cursors))}` : '';
  return {
    method: random() < 0.9 ? 'GET' : 'HEAD',
    path: path + query,
    body: undefined,
    headers: random() < 0.7 ? { 'last-event-id': pick(random, cursors) } : {},
    hangUpMs: Math.floor(random() ** 3 * 2_000),
  };
}

export function nextWebhook(random: Random): FuzzRequest {
  const url = random() < 0.9 ? pick(random, urls) : valueFor({ type: 'string' }, random);
  const events = valueFor({ type: 'array', items: { enum: ['note.created', 'recording.done'] } }, random);
  const status = pick(random, [undefined, undefined, 'active', 'paused', 'other']);
  const isNew = random() < 0.7;
  return {
    method: isNew ? 'POST' : 'PATCH',
    path: isNew ? '/api/v1/webhooks' : `/api/v1/webhooks/${knownId(random)}`,
    body: Buffer.from(JSON.stringify({ url, events, ...(!isNew && { status }) })),
    headers: { 'content-type': 'application/json' },
  };
}
