import { hashSecret } from '../../domain/api-key.ts';
import { AppError } from '../../domain/errors.ts';
import { type RateLimiter, type RateLimits, retryAfterSeconds } from '../../domain/rate-limit.ts';
import type { Clock } from '../../lib/clock.ts';
import { networkOf } from '../../lib/network.ts';

export type FailureThrottle = ReturnType<typeof createFailureThrottle>;

/** Counts and refuses only failures, so a valid key from the same address never has to wait. */
export function createFailureThrottle(failures: RateLimiter, maxPerMinute: number, clock: Clock) {
  const limits: RateLimits = { requestsPerMinute: maxPerMinute, requestsPerDay: 1_000_000_000 };
  return {
    /** Counts a failed credential. Returns the answer: 401, or 429 after too many guesses from an address or at an account. */
    async record(address: string, account?: string): Promise<AppError> {
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
