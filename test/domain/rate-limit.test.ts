import { describe, expect, test } from 'vitest';
import {
  dayMs,
  minuteMs,
  type RateUsage,
  retryAfterSeconds,
  takeFrom,
  unused,
} from '../../src/domain/rate-limit.ts';

const day = Date.parse('2026-03-01T00:00:00.000Z');
const noon = day + dayMs / 2;
const plan = { requestsPerMinute: 3, requestsPerDay: 5 };
const used = (minuteUsed: number, dayUsed: number): RateUsage => ({
  minuteStart: noon,
  minuteUsed,
  dayStart: day,
  dayUsed,
});

test('the first request of a key opens the windows of its minute and its UTC day', () => {
  const { allowed, usage } = takeFrom(unused, 1, plan, noon + 59_999);
  expect([allowed, usage]).toEqual([true, used(1, 1)]);
});

test.each<[string, RateUsage, number, boolean, RateUsage]>([
  ['what still fits', used(2, 2), 1, true, used(3, 3)],
  ['what fits exactly into both', used(0, 2), 3, true, used(3, 5)],
  ['more than is left of the minute', used(3, 3), 1, false, used(3, 3)],
  ['more than is left of the day', used(1, 5), 1, false, used(1, 5)],
  ['an expensive call takes all or nothing', used(1, 1), 3, false, used(1, 1)],
])('%s', (_, before, cost, allowed, after) => {
  expect(takeFrom(before, cost, plan, noon + 1_000)).toEqual({ allowed, plan, usage: after });
});

test.each<[string, number, RateUsage]>([
  ['a new minute', noon + minuteMs, { ...used(1, 4), minuteStart: noon + minuteMs }],
  ['a new day', day + dayMs, { minuteStart: day + dayMs, minuteUsed: 1, dayStart: day + dayMs, dayUsed: 1 }],
])('%s starts from nothing', (_, now, after) => {
  expect(takeFrom(used(3, 3), 1, plan, now)).toEqual({ allowed: true, plan, usage: after });
});

describe('a clock that steps back', () => {
  test.each<[string, number]>([
    ['by a second', 1],
    ['by a whole minute', minuteMs],
  ])('%s does not open a spent minute again', (_, ms) => {
    expect(takeFrom(used(3, 3), 1, plan, noon - ms)).toMatchObject({
      allowed: false,
      usage: { minuteStart: noon, minuteUsed: 3 },
    });
  });

  test('by more than a minute locks nobody out for longer than that', () => {
    expect(takeFrom(used(3, 3), 1, plan, noon - minuteMs - 1)).toMatchObject({
      allowed: true,
      usage: { minuteStart: noon - 2 * minuteMs, minuteUsed: 1, dayUsed: 4 },
    });
  });
});

test.each<[string, RateUsage, number, number, number]>([
  ['a spent minute', used(3, 3), 1, noon + 1_000, 59],
  ['part of a second counts as one', used(3, 3), 1, noon + 59_001, 1],
  ['a minute that is over', used(3, 3), 1, noon + minuteMs, 1],
  ['a spent day', used(0, 5), 1, day + dayMs - 90_000, 90],
  ['both spent: the day', used(3, 5), 1, day + dayMs - 90_000, 90],
  ['a day that is just large enough is not to blame', used(3, 4), 1, noon, 60],
])('Retry-After of %s', (_, usage, cost, now, seconds) => {
  expect(retryAfterSeconds({ allowed: false, plan, usage }, cost, now)).toBe(seconds);
});
