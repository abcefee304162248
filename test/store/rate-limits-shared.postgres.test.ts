import { expect, test } from 'vitest';
import { createSharedLimiter } from '../../src/platform/database/rate-limits-shared.ts';
import { openStore } from '../support/store.ts';

const limits = { requestsPerMinute: 1, requestsPerDay: 10 };

test('of the keys that a server has seen it remembers a bounded number, and a forgotten one gains nothing', async () => {
  const { database, close } = await openStore('postgres');
  let statements = 0;
  const counted = database.quick.withPlugin({
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      statements += 1;
      return result;
    },
  });
  const limiter = createSharedLimiter(counted, () => Date.parse('2026-03-01T12:00:00.000Z'), 3);
  const take = async (key: string) => {
    const before = statements;
    const { allowed } = await limiter.take(key, 1, limits);
    return { allowed, asked: statements > before };
  };
  expect(await take('first')).toEqual({ allowed: true, asked: true });
  for (const key of ['second', 'third']) await take(key);
  // Remembered: it is refused without a word to the database.
  expect(await take('first')).toEqual({ allowed: false, asked: false });
  await take('fourth');
  expect(await take('first')).toEqual({ allowed: false, asked: true });
  await limiter.close();
  await close();
});
