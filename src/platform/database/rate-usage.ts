import type { RateUsage } from '../../domain/rate-limit.ts';
import type { Schema } from './schema.ts';

export type UsageRow = Schema['rate_usage'];

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
