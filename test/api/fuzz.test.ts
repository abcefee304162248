import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fuzz } from '../../fuzz/fuzz.ts';
import { type Spoiled, spoilingProxy } from '../support/spoiling-proxy.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describe('odd requests made from openapi.json', () => {
  let steno: TestSteno;
  let origin: string;
  let credentials: [string, ...string[]];
  beforeAll(async () => {
    steno = await startSteno();
    origin = await steno.app.listen({ host: '127.0.0.1', port: 0 });
    const { key, user } = await steno.person();
    credentials = [(await steno.signIn(user)).token, key, (await steno.team()).key];
  });
  afterAll(() => steno.close());

  // The number of requests ends it, not the time.
  const run = (at: string, requests: number) =>
    fuzz({ origin: at, credentials, seed: 20_261, seconds: 600, requests });

  test('are all answered, none with a fault, every error in the envelope', async () => {
    const { faults, byStatus } = await run(origin, 1_000);
    expect(faults).toEqual([]);
    // They reach the handlers and are not merely turned away.
    for (const status of [200, 201, 400, 401, 403, 404]) expect(byStatus[status]).toBeGreaterThan(0);
  });

  test.each<[string, string, (answer: Spoiled) => void]>([
    [
      'a 500',
      '500 {',
      (answer) => {
        if (answer.status === 404) answer.status = 500;
      },
    ],
    [
      'an error without its code',
      '404 without the envelope',
      ({ status, body }) => {
        if (status === 404) delete body.error.code;
      },
    ],
  ])('would show %s', async (_name, fault, spoil) => {
    const proxy = await spoilingProxy(origin, spoil);
    try {
      expect((await run(proxy.origin, 60)).faults).toContainEqual(expect.stringContaining(fault));
    } finally {
      await proxy.close();
    }
  });
});
