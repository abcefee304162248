import { sql } from 'kysely';
import type { Period, UsageTotal } from '../domain/usage.ts';
import type { UsageStore } from '../ports/transcription-store.ts';
import type { Database, Db } from './database.ts';

export function createUsageStore({ db }: Database): UsageStore {
  return { total: (userId, period) => totalOf(db, userId, period) };
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
