import { sql } from 'kysely';
import type { DictionaryStore } from '../ports/store.ts';
import type { Db, SqlEngine } from './engine.ts';
import { isBehind } from './page.ts';

const entryColumns = ['id', 'word', 'source', 'created_at', 'updated_at'] as const;

export function createDictionaryStore(engine: SqlEngine): DictionaryStore {
  const wordsOf = (userId: string, db: Db = engine.db) =>
    db.selectFrom('dictionary_words').where('user_id', '=', userId);

  return {
    list(userId, { limit, after }) {
      const page = wordsOf(userId)
        .select(entryColumns)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit);
      return (after ? page.where(isBehind(after)) : page).execute();
    },

    add(userId, drafts) {
      return engine.write(async (trx) => {
        const keys = [...new Set(drafts.map((draft) => draft.word_key))];
        const known = await wordsOf(userId, trx)
          .select([...entryColumns, 'word_key'])
          .where('word_key', 'in', keys)
          .execute();
        const entries = new Map(known.map(({ word_key, ...entry }) => [word_key, entry]));
        const added: typeof drafts = [];
        const answer = drafts.map((draft) => {
          const { word_key, ...entry } = draft;
          const same = entries.get(word_key);
          if (same) return same;
          entries.set(word_key, entry);
          added.push(draft);
          return entry;
        });
        const rows = added.map((draft) => ({ ...draft, user_id: userId }));
        if (rows.length > 0) await trx.insertInto('dictionary_words').values(rows).execute();
        return answer;
      });
    },

    update(userId, id, { word, word_key }, now) {
      return engine.write(async (trx) => {
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
          .returning(entryColumns)
          .executeTakeFirstOrThrow();
      });
    },

    remove(userId, id) {
      return engine.write(async (trx) => {
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
      return engine.write(async (trx) => {
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
