import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSteno, type TestSteno } from '../support/steno.ts';

const preflight = {
  origin: 'https://app.example',
  'access-control-request-method': 'PATCH',
  'access-control-request-headers':
    'authorization, content-type, idempotency-key, if-match, if-none-match, last-event-id, steno-strict, x-request-id',
};
const exposed = [
  'ETag',
  'Location',
  'Content-Disposition',
  'Content-Range',
  'Link',
  'X-Error-Param',
  'Steno-Ignored',
  'Idempotency-Replayed',
  'Deprecation',
  'Sunset',
  'Retry-After',
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
];
/** A good answer and one of each kind of bad one. */
const paths = ['/me', '/nope', '/notes/x', '/notes/%zz', '/notes/list?limit=0'];

describe('any origin may call by default', () => {
  let steno: TestSteno;
  let key: string;
  beforeAll(async () => {
    steno = await startSteno();
    ({ key } = await steno.person());
  });
  afterAll(() => steno.close());

  test.each(['/me', '/notes/create', '/notes/x', '/nope'])(
    'the preflight of %s needs no key',
    async (path) => {
      const answer = await steno.call('OPTIONS', path, { headers: preflight });
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-headers': preflight['access-control-request-headers'],
      });
      for (const method of ['GET', 'POST', 'PATCH', 'DELETE'])
        expect(answer.headers['access-control-allow-methods']).toContain(method);
      expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
    },
  );

  test.each(paths)('%s tells the page what it may read, with and without a key', async (path) => {
    for (const options of [{}, { key }]) {
      const answer = await steno.call('GET', path, {
        ...options,
        headers: { origin: 'https://app.example' },
      });
      expect(answer.headers['access-control-allow-origin']).toBe('*');
      expect(String(answer.headers['access-control-expose-headers']).split(', ')).toEqual(
        expect.arrayContaining(exposed),
      );
    }
  });

  test.each(['/healthz', '/docs'])('%s is not for other origins', async (url) => {
    const answer = await steno.app.inject({ method: 'GET', url, headers: { origin: 'https://app.example' } });
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
    const post = await steno.app.inject({ method: 'POST', url });
    expect([post.statusCode, post.headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('with a list of origins', () => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ config: { corsOrigins: ['https://app.example', 'http://localhost:3000'] } });
  });
  afterAll(() => steno.close());

  test.each([
    ['https://app.example', 'https://app.example'],
    ['http://localhost:3000', 'http://localhost:3000'],
    ['https://evil.example', undefined],
    ['https://app.example.evil.example', undefined],
    ['null', undefined],
  ])('the origin %s gets %s', async (origin, allowed) => {
    for (const path of paths) {
      const answer = await steno.call('GET', path, { headers: { origin } });
      expect(answer.headers['access-control-allow-origin']).toBe(allowed);
      expect(answer.headers.vary).toBe('Origin');
    }
    const answer = await steno.call('OPTIONS', '/me', { headers: { ...preflight, origin } });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([204, allowed]);
  });
});
