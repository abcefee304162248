import type { Plan } from '../domain/plans.ts';
import type { RateDecision } from '../domain/rate-limit.ts';

/** Counts what each key uses per minute and per day. Exact, no matter how many calls arrive at once. */
export interface RateLimiter {
  /** Charges `cost` to both windows of the key, or to neither if one of them has no room. */
  take(keyId: string, cost: number, plan: Plan): Promise<RateDecision>;
  /** Saves counts that are only in memory. */
  close(): Promise<void>;
}
