import { folder, maxSortOrder } from '../domain/folder.ts';
import type { FolderStore } from '../ports/store.ts';
import type { Database } from './database.ts';
import { createWithAnswer } from './idempotency.ts';
import { requireOwner } from './owners.ts';
import { rowsOf } from './rows.ts';

const { columns, toRow, fromRow } = rowsOf(folder);

export function createFolderStore(database: Database): FolderStore {
  return {
    async list(ownerId) {
      const rows = await database.db
        .selectFrom('folders')
        .select(columns)
        .where('owner_id', '=', ownerId)
        .orderBy('sort_order')
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(fromRow);
    },

    insert({ sort_order, ...draft }, max) {
      return createWithAnswer(database, async (trx) => {
        await requireOwner(trx, draft);
        const siblings = await trx
          .selectFrom('folders')
          .select(['name_key', 'sort_order'])
          .where('owner_id', '=', draft.owner_id)
          .execute();
        if (siblings.some(({ name_key }) => name_key === draft.name_key)) return 'conflict';
        if (siblings.length >= max) return 'limit reached';
        const places = siblings.map((sibling) => sibling.sort_order);
        const next = places.length === 0 ? 0 : Math.min(Math.max(...places) + 1, maxSortOrder);
        const row = await trx
          .insertInto('folders')
          .values(toRow({ ...draft, sort_order: sort_order ?? next }))
          .returning(columns)
          .executeTakeFirstOrThrow();
        return fromRow(row);
      });
    },
  };
}
