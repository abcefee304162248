import { AppError } from '../domain/errors.ts';
import { minuteMs } from '../domain/rate-limit.ts';
import { networkOf } from '../lib/network.ts';
import type { Clock } from '../ports/clock.ts';

const maxNetworks = 100_000;

export interface FailureThrottle {
  /** Counts a failed credential. Returns the answer: 401, or 429 for an address that keeps guessing. */
  record(address: string): AppError;
}

/** Counts and refuses only failures, so a valid key from the same address never has to wait. */
export function createFailureThrottle(maxPerMinute: number, clock: Clock): FailureThrottle {
  const failures = new Map<string, number>();
  let windowStart = 0;
  return {
    record(address) {
      const now = clock();
      if (now - windowStart >= minuteMs || now < windowStart || failures.size >= maxNetworks) {
        failures.clear();
        windowStart = now - (now % minuteMs);
      }
      const network = networkOf(address);
      const count = (failures.get(network) ?? 0) + 1;
      failures.set(network, count);
      if (count <= maxPerMinute)
        return new AppError('invalid_api_key', 'Send a valid API key as "Authorization: Bearer <key>".');
      return new AppError(
        'rate_limited',
        'Too many failed attempts from this address. Wait, then use a valid key.',
        {
          retryAfterSeconds: Math.max(1, Math.ceil((windowStart + minuteMs - now) / 1000)),
        },
      );
    },
  };
}
