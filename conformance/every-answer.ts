import { check, expect, type Part, type Target } from './check.ts';
import type { Answer } from './client.ts';
import { failure } from './shapes.ts';

/** Status of each code in the table of errors. */
const statusOf = new Map([
  ['validation_error', 400],
  ['limit_reached', 400],
  ['invalid_api_key', 401],
  ['invalid_code', 401],
  ['forbidden', 403],
  ['plan_required', 403],
  ['not_found', 404],
  ['no_transcript', 404],
  ['method_not_allowed', 405],
  ['conflict', 409],
  ['note_version_conflict', 409],
  ['concurrency_limit', 409],
  ['payload_too_large', 413],
  ['rate_limited', 429],
  ['too_many_attempts', 429],
  ['quota_exceeded', 429],
  ['internal_error', 500],
  ['service_unavailable', 503],
]);

const isPlain = ({ place, status }: Answer) => status === 204 || /^(HEAD|OPTIONS) /.test(place);

function each({ seen }: Target, fault: (answer: Answer) => string | undefined): void {
  expect(seen.length > 0, 'no answer was seen');
  for (const answer of seen) {
    const found = fault(answer);
    expect(found === undefined, `${answer.place} (${answer.status}): ${found}`);
  }
}

/** Runs last: looks at every answer that the other checks got. */
export const everyAnswer: Part = {
  name: 'Every answer',
  checks: [
    check(
      'Every response is JSON with the right Content-Type, except 204 and plain transcripts',
      [],
      async (all) =>
        each(all, (answer) => {
          const type = answer.headers.get('content-type') ?? 'none';
          if (isPlain(answer)) return undefined;
          if (type.startsWith('text/plain; charset=utf-8') && answer.place.startsWith('GET /transcriptions/'))
            return answer.status === 200 ? undefined : 'an error as plain text';
          return type.startsWith('application/json') && answer.body !== undefined
            ? undefined
            : `type ${type}`;
        }),
    ),
    check('Deletes answer 204 with an empty body', [], async (all) =>
      each(all, ({ status, text }) => (status === 204 && text !== '' ? 'a body' : undefined)),
    ),
    check('All error responses carry { error: { code, message } }', [], async (all) =>
      each(all, (answer) => (answer.status < 400 || isPlain(answer) ? undefined : failure(answer.body))),
    ),
    check('Codes and statuses exactly as in the table', [], async (all) =>
      each(all, (answer) => {
        if (answer.status < 400 || isPlain(answer)) return undefined;
        const code = String(answer.body?.error?.code);
        return statusOf.get(code) === answer.status ? undefined : `code ${code}`;
      }),
    ),
    check('The message is one plain sentence', [], async (all) =>
      each(all, (answer) => {
        if (answer.status < 400 || isPlain(answer)) return undefined;
        const message = String(answer.body?.error?.message ?? '');
        return message.trim() !== '' && !/\n|<html|\bat .*:\d+:\d+/i.test(message)
          ? undefined
          : `"${message}"`;
      }),
    ),
    check('Every response carries X-Request-Id', [], async (all) =>
      each(all, ({ headers }) => (headers.get('x-request-id') ? undefined : 'no X-Request-Id')),
    ),
    check('Every response to a known key carries X-RateLimit-Limit, -Remaining and -Reset', [], async (all) =>
      each(all, ({ isKnown, headers, place }) => {
        if (!isKnown || place.startsWith('OPTIONS')) return undefined;
        const missing = ['limit', 'remaining', 'reset'].filter(
          (name) => !/^\d+$/.test(headers.get(`x-ratelimit-${name}`) ?? ''),
        );
        return missing.length === 0 ? undefined : `no X-RateLimit-${missing.join(', -')}`;
      }),
    ),
    check('and besides them the IETF RateLimit and RateLimit-Policy fields', [], async (all) =>
      each(all, ({ isKnown, headers, place }) => {
        if (!isKnown || place.startsWith('OPTIONS')) return undefined;
        const policy = /^"minute";q=\d+;w=60, "day";q=\d+;w=86400$/.test(
          headers.get('ratelimit-policy') ?? '',
        );
        const state = /^"minute";r=\d+;t=\d+, "day";r=\d+;t=\d+$/.test(headers.get('ratelimit') ?? '');
        return policy && state ? undefined : 'RateLimit fields missing or malformed';
      }),
    ),
    check('Every response allows other origins', [], async (all) =>
      each(all, ({ headers, place }) =>
        headers.get('access-control-allow-origin') || headers.get('vary')?.includes('Origin')
          ? undefined
          : `${place} says nothing of origins`,
      ),
    ),
    check('429 rate_limited gives the wait in Retry-After, whole seconds, at least 1', [], async (all) =>
      each(all, ({ body, headers }) =>
        body?.error?.code !== 'rate_limited' || /^[1-9]\d*$/.test(headers.get('retry-after') ?? '')
          ? undefined
          : 'no Retry-After',
      ),
    ),
    check('No answer is a server fault', [], async (all) =>
      each(all, ({ status }) => (status === 500 ? 'internal_error' : undefined)),
    ),
  ],
  unseen: [],
};
