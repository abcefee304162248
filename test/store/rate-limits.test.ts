import { expect, test, vi } from 'vitest';
import {
  createFailureCounter,
  createForgetfulLimiter,
  createRateLimiter,
} from '../../src/platform/database/rate-limits.ts';
import { silentLog } from '../support/steno.ts';
import { openStore } from '../support/store.ts';

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

test('counts of keys are saved every second and at a clean stop, and again after a save that failed', async () => {
  const steno = await openStore('sqlite');
  let fault: Error | undefined;
  const { database } = steno;
  const write: typeof database.write = async (work) => {
    if (fault) throw fault;
    return database.write(work);
  };
  let warnings = 0;
  const log = {
    ...silentLog,
    warn() {
      warnings += 1;
    },
  };
  let now = Date.parse('2026-03-01T12:00:00.000Z');
  const open = () => createRateLimiter({ ...database, write }, () => now, log);
  const saved = () =>
    database.db.selectFrom('rate_usage').select(['key_id', 'day_used']).orderBy('key_id').execute();
  const take = async (limiter: Awaited<ReturnType<typeof open>>, key: string) =>
    (await limiter.take(key, 1, { requestsPerMinute: 2, requestsPerDay: 3 })).allowed;

  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  try {
    const limiter = await open();
    expect([await take(limiter, 'a'), await take(limiter, 'b'), await take(limiter, 'a')]).toEqual([
      true,
      true,
      true,
    ]);
    expect(await saved()).toEqual([]);
    vi.advanceTimersByTime(1_000);
    await expect.poll(saved).toEqual([
      { key_id: 'a', day_used: 2 },
      { key_id: 'b', day_used: 1 },
    ]);
    expect(await take(limiter, 'b')).toBe(true);
    fault = new Error('no disk');
    vi.advanceTimersByTime(1_000);
    await expect.poll(() => warnings).toBe(1);
    await expect(limiter.close()).rejects.toThrow('no disk');
    fault = undefined;
    await limiter.close();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
  const again = await open();
  expect([await take(again, 'a'), await take(again, 'b'), await take(again, 'c')]).toEqual([
    false,
    false,
    true,
  ]);
  now += 60_000;
  expect([await take(again, 'a'), await take(again, 'a')]).toEqual([true, false]);
  await again.close();
  const failures = createFailureCounter(database, again, () => now);
  expect(await take(failures, 'a')).toBe(true);
  await failures.close();
  expect(await saved()).toEqual([
    { key_id: 'a', day_used: 3 },
    { key_id: 'b', day_used: 2 },
    { key_id: 'c', day_used: 1 },
  ]);
  await steno.close();
});
