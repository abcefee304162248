import { sql } from 'kysely';
import type { Period, UsageTotal } from '../../domain/usage.ts';
import type { Db } from '../../platform/database/database.ts';
import type { UsageDay } from './schema.ts';

const within = (db: Db, userId: string, { from, until }: Period) =>
  db
    .selectFrom('usage_ledger')
    .where('user_id', '=', userId)
    .where('counted_at', '>=', from)
    .where('counted_at', '<', until);

/** The days of the period on which something was counted. */
export function byDay(db: Db, userId: string, period: Period): Promise<UsageDay[]> {
  // Timestamps are ISO texts in UTC, so their first ten letters are the day.
  const date = sql<string>`substr(counted_at, 1, 10)`;
  return within(db, userId, period)
    .select(date.as('date'))
    .select([sql<number>`sum(words)`.as('words'), sql<number>`sum(audio_ms + recording_ms)`.as('audio_ms')])
    .groupBy(date)
    .execute();
}

export const totalOf = (db: Db, userId: string, period: Period): Promise<UsageTotal> =>
  within(db, userId, period)
    .select([
      sql<number>`coalesce(sum(words), 0)`.as('words'),
      sql<number>`coalesce(sum(audio_ms), 0)`.as('audioMs'),
    ])
    .executeTakeFirstOrThrow();

/** Of recordings. */
export async function recordedMs(db: Db, userId: string, period: Period): Promise<number> {
  const { used } = await within(db, userId, period)
    .select(sql<number>`coalesce(sum(recording_ms), 0)`.as('used'))
    .where('recording_ms', '>', 0)
    .executeTakeFirstOrThrow();
  return used;
}
