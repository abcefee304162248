import { AppError } from '../domain/errors.ts';
import { type RateLimits, retryAfterSeconds } from '../domain/rate-limit.ts';
import { networkOf } from '../lib/network.ts';
import type { Clock } from '../ports/clock.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';

export interface FailureThrottle {
  /** Counts a failed credential. Returns the answer: 401, or 429 for an address that keeps guessing. */
  record(address: string): Promise<AppError>;
}

/** Counts and refuses only failures, so a valid key from the same address never has to wait. */
export function createFailureThrottle(
  failures: RateLimiter,
  maxPerMinute: number,
  clock: Clock,
): FailureThrottle {
  const limits: RateLimits = { requestsPerMinute: maxPerMinute, requestsPerDay: 1_000_000_000 };
  return {
    async record(address) {
      const decision = await failures.take(networkOf(address), 1, limits);
      if (decision.allowed)
        return new AppError('invalid_api_key', 'Send a valid API key as "Authorization: Bearer <key>".');
      return new AppError(
        'rate_limited',
        'Too many failed attempts from this address. Wait, then use a valid key.',
        { retryAfterSeconds: retryAfterSeconds(decision, 1, clock()) },
      );
    },
  };
}
