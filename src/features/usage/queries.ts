import { sql } from 'kysely';
import type { Period, UsageTotal } from '../../domain/usage.ts';
import type { Db } from '../../platform/database/database.ts';
import type { UsageDay } from './schema.ts';

/** The days of the period on which something was counted. */
export async function byDay(db: Db, userId: string, { from, until }: Period): Promise<UsageDay[]> {
  // Timestamps are ISO texts in UTC, so their first ten letters are the day.
  const day = sql<string>`substr(counted_at, 1, 10)`;
  const rows = await db
    .selectFrom('usage_ledger')
    .select([
      day.as('date'),
      sql<number | string>`sum(words)`.as('words'),
      sql<number | string>`sum(audio_ms + recording_ms)`.as('audioMs'),
    ])
    .where('user_id', '=', userId)
    .where('counted_at', '>=', from)
    .where('counted_at', '<', until)
    .groupBy(day)
    .execute();
  return rows.map(({ date, words, audioMs }) => ({ date, words: Number(words), audio_ms: Number(audioMs) }));
}

export async function totalOf(db: Db, userId: string, { from, until }: Period): Promise<UsageTotal> {
  // PostgreSQL returns the sum of bigints as text, and the sum of no rows is null.
  const { words, audioMs } = await db
    .selectFrom('usage_ledger')
    .select([
      sql<number | string | null>`sum(words)`.as('words'),
      sql<number | string | null>`sum(audio_ms)`.as('audioMs'),
    ])
    .where('user_id', '=', userId)
    .where('counted_at', '>=', from)
    .where('counted_at', '<', until)
    .executeTakeFirstOrThrow();
  return { words: Number(words ?? 0), audioMs: Number(audioMs ?? 0) };
}

/** Of recordings. */
export async function recordedMs(db: Db, userId: string, { from, until }: Period): Promise<number> {
  const { used } = await db
    .selectFrom('usage_ledger')
    .select(sql<number | string | null>`sum(recording_ms)`.as('used'))
    .where('user_id', '=', userId)
    .where('counted_at', '>=', from)
    .where('counted_at', '<', until)
    .where('recording_ms', '>', 0)
    .executeTakeFirstOrThrow();
  return Number(used ?? 0);
}
