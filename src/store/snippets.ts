import { snippet } from '../domain/snippet.ts';
import type { SnippetStore } from '../ports/store.ts';
import type { Database, Db } from './database.ts';
import { keyCompletion } from './idempotency.ts';
import { newestFirst } from './page.ts';
import { rowsOf } from './schema.ts';

const { columns } = rowsOf(snippet);

export function createSnippetStore(database: Database): SnippetStore {
  const snippetsOf = (userId: string, db: Db = database.db) =>
    db.selectFrom('snippets').where('user_id', '=', userId);

  return {
    list: (userId, page) => newestFirst(snippetsOf(userId).select(columns), page).execute(),

    get: (userId, id) => snippetsOf(userId).select(columns).where('id', '=', id).executeTakeFirst(),

    insert(userId, draft) {
      const completeKey = keyCompletion();
      return database.write(async (trx) => {
        const same = await snippetsOf(userId, trx)
          .select('id')
          .where('trigger_key', '=', draft.trigger_key)
          .executeTakeFirst();
        if (same) return 'conflict';
        await trx
          .insertInto('snippets')
          .values({ ...draft, user_id: userId })
          .execute();
        await completeKey?.(trx, draft.id);
        return 'ok';
      });
    },

    update(userId, id, changes, now) {
      return database.write(async (trx) => {
        const found = await snippetsOf(userId, trx).select('id').where('id', '=', id).executeTakeFirst();
        if (!found) return 'not found';
        if (changes.trigger_key !== undefined) {
          const same = await snippetsOf(userId, trx)
            .select('id')
            .where('trigger_key', '=', changes.trigger_key)
            .executeTakeFirst();
          if (same && same.id !== id) return 'conflict';
        }
        return trx
          .updateTable('snippets')
          .set({ ...changes, updated_at: now })
          .where('id', '=', id)
          .returning(columns)
          .executeTakeFirstOrThrow();
      });
    },

    remove(userId, id) {
      return database.write(async (trx) => {
        const result = await trx
          .deleteFrom('snippets')
          .where('user_id', '=', userId)
          .where('id', '=', id)
          .executeTakeFirst();
        return result.numDeletedRows > 0n;
      });
    },
  };
}
