import type { Plan } from './plans.ts';

/** What one key has used in its current minute and day (UTC). Windows start at a time in Unix milliseconds. */
export interface RateUsage {
  readonly minuteStart: number;
  readonly minuteUsed: number;
  readonly dayStart: number;
  readonly dayUsed: number;
}

export type RateLimits = Pick<Plan, 'requestsPerMinute' | 'requestsPerDay'>;

export interface RateDecision {
  readonly allowed: boolean;
  readonly plan: RateLimits;
  readonly usage: RateUsage;
}

export const minuteMs = 60_000;
export const dayMs = 86_400_000;
export const unused: RateUsage = { minuteStart: 0, minuteUsed: 0, dayStart: 0, dayUsed: 0 };

const windowStart = (now: number, length: number) => now - (now % length);

/**
 * If the clock steps back a little, the later window stays, so a used-up window does not open again. A window further ahead
 * than its own length comes from a wrong clock; keeping it would lock the key out until then.
 */
const windowOf = (now: number, length: number, before: number) => {
  const start = windowStart(now, length);
  return before > start && before <= start + length ? before : start;
};

/** Takes `cost` from both windows, or from neither. */
export function takeFrom(before: RateUsage, cost: number, plan: RateLimits, now: number): RateDecision {
  const minuteStart = windowOf(now, minuteMs, before.minuteStart);
  const dayStart = windowOf(now, dayMs, before.dayStart);
  const minuteUsed = before.minuteStart === minuteStart ? before.minuteUsed : 0;
  const dayUsed = before.dayStart === dayStart ? before.dayUsed : 0;
  const allowed = minuteUsed + cost <= plan.requestsPerMinute && dayUsed + cost <= plan.requestsPerDay;
  const charged = allowed ? cost : 0;
  return {
    allowed,
    plan,
    usage: { minuteStart, minuteUsed: minuteUsed + charged, dayStart, dayUsed: dayUsed + charged },
  };
}

/** Whole seconds, at least 1, until the window that refused `cost` ends: the day if both refused. */
export function retryAfterSeconds({ usage, plan }: RateDecision, cost: number, now: number): number {
  const dayIsSpent = usage.dayUsed + cost > plan.requestsPerDay;
  const end = dayIsSpent ? usage.dayStart + dayMs : usage.minuteStart + minuteMs;
  return Math.max(1, Math.ceil((end - now) / 1000));
}

/** Counts what each key uses per minute and per day. Exact, no matter how many calls arrive at once, on any server. */
export interface RateLimiter {
  /** Charges `cost` to both windows of the key, or to neither if one of them has no room. */
  take(keyId: string, cost: number, limits: RateLimits): Promise<RateDecision>;
  /** Saves counts that are only in memory. */
  close(): Promise<void>;
}
