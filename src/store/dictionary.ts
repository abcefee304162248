import { sql } from 'kysely';
import { dictionaryEntry } from '../domain/dictionary.ts';
import type { DictionaryStore } from '../ports/store.ts';
import type { Database, Db } from './database.ts';
import { newestFirst } from './page.ts';
import { rowsOf } from './schema.ts';

const { columns } = rowsOf(dictionaryEntry);

export function createDictionaryStore(database: Database): DictionaryStore {
  const wordsOf = (userId: string, db: Db = database.db) =>
    db.selectFrom('dictionary_words').where('user_id', '=', userId);

  return {
    list: (userId, page) => newestFirst(wordsOf(userId).select(columns), page).execute(),

    add(userId, drafts) {
      // Of two spellings in one request the first counts. Sorted by key, so that two requests with the same words wait for
      // each other instead of causing a deadlock.
      const distinct = new Map(drafts.toReversed().map((draft) => [draft.word_key, draft]));
      const rows = [...distinct.values()]
        .map((draft) => ({ ...draft, user_id: userId }))
        .sort((one, other) => (one.word_key < other.word_key ? -1 : 1));
      return database.write(async (trx) => {
        const stored = await trx
          .insertInto('dictionary_words')
          .values(rows)
          // Sets the same value again, to get the row back. This way PostgreSQL must use the unique index. In a select
          // without fresh statistics it read all words of the user to find 200 of them.
          .onConflict((conflict) =>
            conflict
              .columns(['user_id', 'word_key'])
              .doUpdateSet((eb) => ({ word_key: eb.ref('excluded.word_key') })),
          )
          .returning([...columns, 'word_key'])
          .execute();
        const entries = new Map(stored.map(({ word_key, ...entry }) => [word_key, entry]));
        return drafts.flatMap(({ word_key }) => entries.get(word_key) ?? []);
      });
    },

    update(userId, id, { word, word_key }, now) {
      return database.write(async (trx) => {
        const entry = await wordsOf(userId, trx).select('id').where('id', '=', id).executeTakeFirst();
        if (!entry) return 'not found';
        const same = await wordsOf(userId, trx)
          .select('id')
          .where('word_key', '=', word_key)
          .executeTakeFirst();
        if (same && same.id !== id) return 'conflict';
        return trx
          .updateTable('dictionary_words')
          .set({ word, word_key, updated_at: now })
          .where('id', '=', id)
          .returning(columns)
          .executeTakeFirstOrThrow();
      });
    },

    remove(userId, id) {
      return database.write(async (trx) => {
        const result = await trx
          .deleteFrom('dictionary_words')
          .where('user_id', '=', userId)
          .where('id', '=', id)
          .executeTakeFirst();
        return result.numDeletedRows > 0n;
      });
    },

    async forPrompt(userId, limit) {
      const rows = await wordsOf(userId)
        .select('word')
        .orderBy(sql`coalesce(used_at, created_at)`, 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ word }) => word);
    },

    markUsed(userId, keys, now) {
      return database.write(async (trx) => {
        await trx
          .updateTable('dictionary_words')
          .set({ used_at: now })
          .where('user_id', '=', userId)
          .where('word_key', 'in', keys)
          .execute();
      });
    },
  };
}
