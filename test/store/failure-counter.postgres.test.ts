import { afterEach, expect, test, vi } from 'vitest';
import { createFailureCounter, createRateLimiter } from '../../src/platform/database/rate-limits.ts';
import { silentLog } from '../support/steno.ts';
import { openStore } from '../support/store.ts';

const minuteMs = 60_000;

afterEach(() => vi.useRealTimers());

test('old counts of failed sign-ins are removed, and what keys have used of their day is not', async () => {
  const { database, close } = await openStore('postgres');
  let now = Date.parse('2026-03-01T12:00:00.000Z');
  const limiter = await createRateLimiter(database, () => now, silentLog);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const failures = createFailureCounter(database, limiter, () => now);
  const limits = { requestsPerMinute: 5, requestsPerDay: 10 };
  await limiter.take('a key', 1, limits);
  await failures.take('198.51.100.7', 1, limits);
  now += 11 * minuteMs;
  await failures.take('203.0.113.9', 1, limits);
  const counted = async () =>
    (await database.db.selectFrom('rate_usage').select('key_id').orderBy('key_id').execute()).map(
      ({ key_id }) => key_id,
    );
  expect(await counted()).toEqual(['a key', 'failures 198.51.100.7', 'failures 203.0.113.9']);
  vi.advanceTimersByTime(10 * minuteMs);
  await expect.poll(counted).toEqual(['a key', 'failures 203.0.113.9']);
  await failures.close();
  await limiter.close();
  await close();
});
