import type { FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import { defaultPlans } from '../../src/domain/plans.ts';
import { type RateLimiter, type RateUsage, takeFrom, unused } from '../../src/domain/rate-limit.ts';
import { createCharge } from '../../src/platform/http/access.ts';
import { createFailureThrottle } from '../../src/platform/http/failure-throttle.ts';
import type { Metrics } from '../../src/platform/http/metrics.ts';
import { principalOf } from '../support/principal.ts';

const now = Date.parse('2026-05-01T12:00:10.500Z');
const clock = () => now;

/** The rule itself, with its counts in memory. */
function limiterWith(before: Partial<RateUsage> = {}): RateLimiter & { keys: string[] } {
  const used = new Map<string, RateUsage>();
  const keys: string[] = [];
  return {
    keys,
    async take(key, cost, limits) {
      keys.push(key);
      const decision = takeFrom(used.get(key) ?? { ...unused, ...before }, cost, limits, now);
      used.set(key, decision.usage);
      return decision;
    },
    async close() {},
  };
}

const minuteStart = Date.parse('2026-05-01T12:00:00.000Z');
const dayStart = Date.parse('2026-05-01T00:00:00.000Z');
const plan = { ...defaultPlans.business, requestsPerMinute: 10, requestsPerDay: 100 };

async function charged(cost: number, before: Partial<RateUsage> = {}) {
  const headers: Record<string, unknown> = {};
  const reply = {
    header(name: string, value: unknown) {
      headers[name] = value;
    },
  } as unknown as FastifyReply;
  let refused = 0;
  const rateLimited = { inc: () => (refused += 1) };
  const charge = createCharge({
    limiter: limiterWith({ minuteStart, dayStart, ...before }),
    plans: { ...defaultPlans, business: plan },
    clock,
    metrics: { rateLimited } as unknown as Metrics,
  });
  const outcome = await charge(principalOf('ada'), cost, reply).then(
    () => 'allowed',
    (refusal: { code: string; retryAfterSeconds: number }) => [refusal.code, refusal.retryAfterSeconds],
  );
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map(
    (one) => headers[`x-ratelimit-${one}`],
  );
  return {
    outcome,
    refused,
    shown: [limit, remaining, reset],
    ietf: headers.ratelimit,
    policy: headers['ratelimit-policy'],
  };
}
const minuteEnds = minuteStart / 1000 + 60;
const dayEnds = dayStart / 1000 + 86_400;

test('a call is counted in the minute and in the day, and says what is left', async () => {
  expect(await charged(3)).toEqual({
    outcome: 'allowed',
    refused: 0,
    shown: [10, 7, minuteEnds],
    // Seconds are rounded up.
    ietf: '"minute";r=7;t=50, "day";r=97;t=43190',
    policy: '"minute";q=10;w=60, "day";q=100;w=86400',
  });
});

test('the last call of a minute is allowed, the next is told when it ends', async () => {
  expect(await charged(1, { minuteUsed: 9, dayUsed: 20 })).toMatchObject({
    outcome: 'allowed',
    shown: [10, 0, minuteEnds],
  });
  expect(await charged(1, { minuteUsed: 10, dayUsed: 20 })).toMatchObject({
    outcome: ['rate_limited', 50],
    refused: 1,
    shown: [10, 0, minuteEnds],
  });
});

test('when the day is spent, the headers tell of the day', async () => {
  expect(await charged(1, { dayUsed: 98 })).toMatchObject({ outcome: 'allowed', shown: [10, 9, minuteEnds] });
  expect(await charged(1, { dayUsed: 99 })).toMatchObject({ outcome: 'allowed', shown: [100, 0, dayEnds] });
  expect(await charged(5, { dayUsed: 96 })).toMatchObject({
    outcome: ['rate_limited', 43_190],
    shown: [100, 4, dayEnds],
  });
});

test('what costs nothing is never refused, though a lower plan leaves less than nothing', async () => {
  expect(await charged(0, { minuteUsed: 12, dayUsed: 120 })).toMatchObject({
    outcome: 'allowed',
    refused: 0,
    shown: [100, 0, dayEnds],
    ietf: '"minute";r=0;t=50, "day";r=0;t=43190',
  });
});

test('failures are counted by network and by account, and each has its own limit', async () => {
  const limiter = limiterWith();
  const { record } = createFailureThrottle(limiter, 2, clock);
  const codes = async (address: string, account?: string) => (await record(address, account)).code;
  expect(await codes('192.0.2.1', 'ada')).toBe('invalid_api_key');
  expect(await codes('192.0.2.2', 'ada')).toBe('invalid_api_key');
  expect(await record('192.0.2.3', 'ada')).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 50 });
  expect(await codes('192.0.2.3', 'ben')).toBe('invalid_api_key');
  // Twice from here. Without an account the address alone counts.
  expect(await codes('192.0.2.3')).toBe('rate_limited');
  const before = limiter.keys.length;
  expect(await codes('192.0.2.3', 'eve')).toBe('rate_limited');
  // Whoever guesses from a full address does not lock an account.
  expect(limiter.keys.length).toBe(before + 1);
});
