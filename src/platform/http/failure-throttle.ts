import { hashSecret } from '../../domain/api-key.ts';
import { AppError } from '../../domain/errors.ts';
import { type RateLimits, retryAfterSeconds } from '../../domain/rate-limit.ts';
import type { Clock } from '../../lib/clock.ts';
import { networkOf } from '../../lib/network.ts';
import type { RateLimiter } from './rate-limiter.ts';

export interface FailureThrottle {
  /** Counts a failed credential. Returns the answer: 401, or 429 for an address, or an account, at which somebody keeps guessing. */
  record(address: string, account?: string): Promise<AppError>;
}

/** Counts and refuses only failures, so a valid key from the same address never has to wait. */
export function createFailureThrottle(
  failures: RateLimiter,
  maxPerMinute: number,
  clock: Clock,
): FailureThrottle {
  const limits: RateLimits = { requestsPerMinute: maxPerMinute, requestsPerDay: 1_000_000_000 };
  return {
    async record(address, account) {
      const ofAddress = await failures.take(networkOf(address), 1, limits);
      const decision =
        ofAddress.allowed && account !== undefined
          ? await failures.take(`account ${hashSecret(account)}`, 1, limits)
          : ofAddress;
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
