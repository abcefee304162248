import type { Plan } from './plans.ts';

/** ISO timestamps. `from` is part of the period, `until` is not. */
export interface Period {
  readonly from: string;
  readonly until: string;
}

/** What the ledger counts for a user in a period. */
export interface UsageTotal {
  readonly words: number;
  readonly audioMs: number;
}

const iso = (ms: number) => new Date(ms).toISOString();

/** The UTC calendar month of `now`, by which audio minutes are counted. */
export function monthOf(now: number): Period {
  const date = new Date(now);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { from: iso(Date.UTC(year, month)), until: iso(Date.UTC(year, month + 1)) };
}

export const audioLimitMs = ({ transcription, audioMinutesPerMonth }: Plan) =>
  transcription ? audioMinutesPerMonth * 60_000 : 0;

/** `1 December 2026` */
export const dayInWords = (timestamp: string) =>
  new Date(timestamp).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  });
