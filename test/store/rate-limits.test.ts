import { expect, test } from 'vitest';
import { createForgetfulLimiter } from '../../src/store/rate-limits.ts';

const limits = { requestsPerMinute: 1, requestsPerDay: 10 };

test('counts of failed sign-ins are forgotten at a hundred thousand networks, so memory is bounded', async () => {
  const limiter = createForgetfulLimiter(() => Date.parse('2026-03-01T12:00:00.000Z'));
  const isAllowed = async (name: string) => (await limiter.take(name, 1, limits)).allowed;
  expect([await isAllowed('first'), await isAllowed('first')]).toEqual([true, false]);
  for (let count = 1; count < 99_999; count += 1) await isAllowed(`network ${count}`);
  expect(await isAllowed('first')).toBe(false);
  await isAllowed('the hundred thousandth');
  expect(await isAllowed('first')).toBe(true);
  await limiter.close();
});
