import { createStore, useStore } from '../lib/store.ts';

/** How many requests this person has left, according to the latest answer. */
export interface RateLimit {
  perMinute: number;
  leftThisMinute: number;
  minuteResetsAt: Date;
  perDay: number | undefined;
  leftToday: number | undefined;
}

const latest = createStore<RateLimit | undefined>(undefined);

export function noteRateLimit(headers: Headers): void {
  const perMinute = Number(headers.get('x-ratelimit-limit'));
  if (!perMinute) return;
  latest.set({
    perMinute,
    leftThisMinute: Number(headers.get('x-ratelimit-remaining')),
    minuteResetsAt: new Date(Number(headers.get('x-ratelimit-reset')) * 1000),
    perDay: numberIn(headers.get('ratelimit-policy'), /"day";q=(\d+)/),
    leftToday: numberIn(headers.get('ratelimit'), /"day";r=(\d+)/),
  });
}

/** Whether a request that the page makes by itself should wait. */
export function isShortOfRequests(): boolean {
  const { perMinute = 0, leftThisMinute = 0, minuteResetsAt } = latest.get() ?? {};
  return minuteResetsAt !== undefined && minuteResetsAt > new Date() && leftThisMinute < perMinute / 3;
}

/** Undefined until the first answer. */
export const useRateLimit = (): RateLimit | undefined => useStore(latest);

function numberIn(field: string | null, pattern: RegExp): number | undefined {
  const found = field?.match(pattern)?.[1];
  return found === undefined ? undefined : Number(found);
}
