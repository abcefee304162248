import type { Plan } from '../domain/plans.ts';
import type { RateDecision } from '../domain/rate-limit.ts';

/** Counts what each key uses in its minute and its day. Exact however many calls arrive at once. */
export interface RateLimiter {
  /** Charges `cost` to both windows of the key, or to neither when one of them has no room. */
  take(keyId: string, cost: number, plan: Plan): Promise<RateDecision>;
  /** Writes what is only in memory. */
  close(): Promise<void>;
}
