import type { RateDecision, RateLimits } from '../../domain/rate-limit.ts';

/** Counts what each key uses per minute and per day. Exact, no matter how many calls arrive at once, on any server. */
export interface RateLimiter {
  /** Charges `cost` to both windows of the key, or to neither if one of them has no room. */
  take(keyId: string, cost: number, limits: RateLimits): Promise<RateDecision>;
  /** Saves counts that are only in memory. */
  close(): Promise<void>;
}
