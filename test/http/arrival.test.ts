import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import {
  createProgress,
  goTogether,
  limitRequestTime,
  mostOfCallerPerTurn,
} from '../../src/platform/http/arrival.ts';
import { head, wire } from '../support/wire.ts';

/** What is said at each look, for so many bytes between two looks. */
function looks(...bytes: number[]): boolean[] {
  const isTooSlow = createProgress(500);
  let read = 500;
  return bytes.map((more) => {
    read += more;
    return isTooSlow(read);
  });
}

describe('an upload', () => {
  test('is too slow when nothing came since the last look', () => {
    expect(looks(9_000, 0)).toEqual([false, true]);
  });

  test('is too slow with a byte at each look, after five of them', () => {
    expect(looks(1, 1, 1, 1, 1)).toEqual([false, false, false, false, true]);
    expect(looks(9_000, 1, 1, 1, 1, 1, 1, 1, 1, 1).lastIndexOf(true)).toBe(9);
  });

  test('may be as slow as silence is', () => {
    expect(looks(...Array(50).fill(2_000))).not.toContain(true);
    expect(looks(1, 1, 1, 1, 4_092, 4_092, 1, 1, 1, 1)).not.toContain(true);
  });

  test('that drips is cut off', async () => {
    const app = Fastify();
    app.addContentTypeParser('*', (_request, _payload, done) => done(null));
    app.addHook('onRequest', limitRequestTime(50));
    app.post(
      '/api/v1/drip',
      { config: { slowUpload: true, access: { credential: 'none' } } },
      async ({ raw }) => {
        for await (const _ of raw);
      },
    );
    const { port: given } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
    const port = Number(given);
    const slow = wire(port, head('POST', '/drip', { 'Content-Type': 'audio/wav', 'Content-Length': 99_999 }));
    const drip = setInterval(() => slow.socket.write('.'), 5);
    expect(await slow.closed).toContain('The request did not arrive in time');
    clearInterval(drip);
    slow.socket.destroy();
    await app.close();
  });
});

test('whoever sends a thousand requests at once waits for the next turns, and nobody else does', async () => {
  const app = Fastify();
  const gone: string[] = [];
  app.addHook('onRequest', goTogether());
  app.get('/', async ({ headers }) => {
    gone.push(String(headers.authorization));
    return 'ok';
  });
  const ask = (authorization: string) => app.inject({ url: '/', headers: { authorization } });
  await ask('warm');
  const all = [...Array.from({ length: 1_000 }, () => ask('mallory')), ask('ada')];
  await Promise.all(all);
  expect(gone).toHaveLength(1_002);
  expect(gone.indexOf('ada')).toBeLessThanOrEqual(1 + mostOfCallerPerTurn);
  await app.close();
});
