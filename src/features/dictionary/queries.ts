import { sql } from 'kysely';
import type { PageQuery } from '../../domain/page.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import { sameTextKey } from '../../lib/text.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { newestFirst } from '../../platform/database/page.ts';
import { rowsOf } from '../../platform/database/schema.ts';
import { type DictionaryEntry, dictionaryEntry } from './schema.ts';

const { columns } = rowsOf(dictionaryEntry);

const of = (db: Db, userId: string) => db.selectFrom('dictionary_words').where('user_id', '=', userId);

export const page = (db: Db, userId: string, query: PageQuery) =>
  newestFirst(of(db, userId).select(columns), query).execute();

export const find = (db: Db, userId: string, id: string) =>
  of(db, userId).select(columns).where('id', '=', id).executeTakeFirst();

export const withWord = (db: Db, userId: string, word: string) =>
  of(db, userId).select('id').where('word_key', '=', sameTextKey(word)).executeTakeFirst();

/** Returns one entry for each draft, in the same order. A word that is already there is returned unchanged. */
export async function add(tx: Tx, userId: string, drafts: readonly DictionaryEntry[]) {
  const keyed = drafts.map((draft) => ({ ...draft, word_key: sameTextKey(draft.word), user_id: userId }));
  // Of two spellings in one request the first counts. Sorted by key, so that two requests with the same words wait for each
  // other instead of causing a deadlock.
  const distinct = new Map(keyed.toReversed().map((row) => [row.word_key, row]));
  const rows = [...distinct.values()].sort((one, other) => (one.word_key < other.word_key ? -1 : 1));
  const stored = await tx
    .insertInto('dictionary_words')
    .values(rows)
    // Sets the same value again, to get the row back. This way PostgreSQL must use the unique index. In a select without
    // fresh statistics it read all words of the person to find 200 of them.
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'word_key'])
        .doUpdateSet((eb) => ({ word_key: eb.ref('excluded.word_key') })),
    )
    .returning([...columns, 'word_key'])
    .execute();
  const entries = new Map(stored.map(({ word_key, ...entry }) => [word_key, entry]));
  return keyed.flatMap(({ word_key }) => entries.get(word_key) ?? []);
}

export const respell = (tx: Tx, { id }: Authorized<DictionaryEntry>, word: string, now: string) =>
  tx
    .updateTable('dictionary_words')
    .set({ word, word_key: sameTextKey(word), updated_at: now })
    .where('id', '=', id)
    .returning(columns)
    .executeTakeFirstOrThrow();

export const remove = (tx: Tx, { id }: Authorized<DictionaryEntry>) =>
  tx.deleteFrom('dictionary_words').where('id', '=', id).execute();

/** Which of the person's words were there, and are deleted now. */
export async function removeMany(tx: Tx, userId: string, ids: readonly string[]): Promise<Set<string>> {
  const removed = await tx
    .deleteFrom('dictionary_words')
    .where('user_id', '=', userId)
    .where('id', 'in', ids)
    .returning('id')
    .execute();
  return new Set(removed.map(({ id }) => id));
}

/** The words that a transcription should know, the most recently used or added first. */
export async function forPrompt(db: Db, userId: string, limit: number): Promise<string[]> {
  const rows = await of(db, userId)
    .select('word')
    .orderBy(sql`coalesce(used_at, created_at)`, 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ word }) => word);
}

/** These words were in a transcription, so they now come first in `forPrompt`. */
export async function markUsed(tx: Tx, userId: string, words: readonly string[], now: string): Promise<void> {
  if (words.length === 0) return;
  await tx
    .updateTable('dictionary_words')
    .set({ used_at: now })
    .where('user_id', '=', userId)
    .where('word_key', 'in', words.map(sameTextKey))
    .execute();
}
