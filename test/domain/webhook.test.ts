import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import {
  afterFailure,
  contentEvents,
  deliveriesKeptDays,
  eventOf,
  maxWebhooksPerOwner,
  maxWebhookUrlLength,
  newDelivery,
  newTest,
  newWebhookSecret,
  requestHead,
  scopesToHear,
  signedRequest,
} from '../../src/domain/webhook.ts';

const second = 1_000;
const hour = 3_600 * second;
const now = Date.parse('2026-03-02T12:00:00.000Z');
const iso = (ms: number) => new Date(ms).toISOString();

test.each([
  [0, 30 * second],
  [1, 120 * second],
  [2, 600 * second],
  [3, hour],
  [4, 6 * hour],
  [9, 6 * hour],
])('after %i failures before this one, the next attempt is %i ms later', (attempts, delay) => {
  expect(afterFailure({ attempts, failing_since: iso(now - hour) }, now)).toEqual({
    attempts: attempts + 1,
    failing_since: iso(now - hour),
    next_attempt_at: iso(now + delay),
    isOver: false,
  });
});

test('the first failure begins the day', () => {
  expect(afterFailure({ attempts: 0, failing_since: null }, now)).toMatchObject({
    failing_since: iso(now),
    isOver: false,
  });
});

test.each([
  ['the last attempt is at the end of the day', 24 * hour - 1, now + 1, false],
  ['after a day it is over', 24 * hour, now, true],
  ['and no attempt is in the past', 30 * hour, now, true],
])('%s', (_, failingMs, next, isOver) => {
  const after = afterFailure({ attempts: 7, failing_since: iso(now - failingMs) }, now);
  expect([after.next_attempt_at, after.isOver]).toEqual([iso(next), isOver]);
});

test.each([
  [{ type: 'note', action: 'created' }, 'note.created'],
  [{ type: 'recording', action: 'failed' }, 'recording.failed'],
  [{ type: 'transcription', action: 'deleted' }, undefined],
  [{ type: 'language_job', action: 'done' }, 'language_job.done'],
  [{ type: 'folder', action: 'created' }, undefined],
] as const)('%o is the event %s', (change, event) => {
  expect(eventOf(change)).toBe(event);
});

test('no key hears the audit log', () => {
  expect(scopesToHear('audit.recorded')).toEqual([]);
});

test.each(contentEvents)('%s is told only to a key that may read it', (event) => {
  expect(scopesToHear(event)).toEqual(
    /^(note|language_job)\./.test(event) ? ['notes:read', 'workspace:notes:read'] : ['transcriptions:read'],
  );
});

test('an event keeps its id, whenever it is sent, and no other event has it', () => {
  const change = { type: 'note', action: 'created', id: 'n', at: iso(now), tx: 0, seq: 7 } as const;
  const made = newDelivery('hook', 'note.created', change);
  expect(made).toEqual({ id: expect.any(String), event: 'note.created', resource_id: 'n', at: iso(now) });
  expect(made.id).toMatch(/^msg_[\w-]{32}$/);
  expect(newDelivery('hook', 'note.created', { ...change, ...{ tx: 9 } }).id).toBe(made.id);
  const others = [
    newDelivery('other', 'note.created', change),
    newDelivery('hook', 'note.updated', change),
    newDelivery('hook', 'note.created', { ...change, seq: 8 }),
    newDelivery('hook', 'note.created', { ...change, id: 'm' }),
    newDelivery('hook', 'note.created', { ...change, at: iso(now + 1) }),
  ];
  expect(new Set([made, ...others].map(({ id }) => id)).size).toBe(6);
});

test('a request is accepted by a verifier that we did not write, and holds no text', () => {
  const secret = newWebhookSecret();
  const sent = { id: 'msg_1', event: 'note.created', resource_id: 'n', at: iso(now) } as const;
  const { headers, body } = signedRequest(
    { secret, old_secret: null, old_secret_until: null, space_id: 's' },
    sent,
    now + 999,
  );
  expect(headers).toMatchObject({ 'webhook-id': 'msg_1', 'webhook-timestamp': String(now / 1000) });
  expect(headers['webhook-signature']).toBe(new Webhook(secret).sign('msg_1', new Date(now), body));
  expect(JSON.parse(body)).toEqual({
    type: 'note.created',
    timestamp: iso(now),
    data: { id: 'n', space_id: 's' },
  });
});

test('after a rotation both secrets sign, until the old one ends', () => {
  const [secret, old_secret] = [newWebhookSecret(), newWebhookSecret()];
  const sent = newTest('hook', iso(now));
  const send = (at: number) =>
    signedRequest({ secret, old_secret, old_secret_until: iso(now + 1_000), space_id: null }, sent, at);
  const both = send(now);
  for (const one of [secret, old_secret])
    expect(both.headers['webhook-signature']?.split(' ')).toContain(
      new Webhook(one).sign(sent.id, new Date(now), both.body),
    );
  expect(JSON.parse(both.body)).toMatchObject({ type: 'webhook.test', data: { id: 'hook', test: true } });
  expect(send(now + 1_000).headers['webhook-signature']?.split(' ')).toHaveLength(1);
  expect(requestHead(both.headers)).not.toContain('v1,');
});

test('the numbers of the contract', () => {
  expect([maxWebhooksPerOwner, maxWebhookUrlLength, deliveriesKeptDays]).toEqual([10, 2048, 7]);
  expect(newWebhookSecret()).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
});
