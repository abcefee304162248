import type { RateUsage } from '../../domain/rate-limit.ts';

/** A row of `rate_usage`. */
export interface UsageRow {
  key_id: string;
  minute_start: number;
  minute_used: number;
  day_start: number;
  day_used: number;
}

export const fromRow = (row: UsageRow): RateUsage => ({
  minuteStart: row.minute_start,
  minuteUsed: row.minute_used,
  dayStart: row.day_start,
  dayUsed: row.day_used,
});

export const toRow = (keyId: string, usage: RateUsage): UsageRow => ({
  key_id: keyId,
  minute_start: usage.minuteStart,
  minute_used: usage.minuteUsed,
  day_start: usage.dayStart,
  day_used: usage.dayUsed,
});
