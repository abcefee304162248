import { type Folder, maxSortOrder } from '../domain/folder.ts';
import type { FolderStore } from '../ports/store.ts';
import type { Database } from './database.ts';
import { requireOwner } from './owners.ts';

const folderColumns = [
  'id',
  'name',
  'sort_order',
  'is_default',
  'space_id',
  'created_at',
  'updated_at',
] as const;

export function createFolderStore(database: Database): FolderStore {
  return {
    async list(ownerId) {
      const rows = await database.db
        .selectFrom('folders')
        .select(folderColumns)
        .where('owner_id', '=', ownerId)
        .orderBy('sort_order')
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(toFolder);
    },

    insert({ sort_order, is_default, ...folder }, max) {
      return database.write(async (trx) => {
        await requireOwner(trx, folder);
        const siblings = await trx
          .selectFrom('folders')
          .select(['name_key', 'sort_order'])
          .where('owner_id', '=', folder.owner_id)
          .execute();
        if (siblings.some(({ name_key }) => name_key === folder.name_key)) return 'conflict';
        if (siblings.length >= max) return 'limit reached';
        const places = siblings.map((sibling) => sibling.sort_order);
        const next = places.length === 0 ? 0 : Math.min(Math.max(...places) + 1, maxSortOrder);
        const row = await trx
          .insertInto('folders')
          .values({ ...folder, sort_order: sort_order ?? next, is_default: Number(is_default) })
          .returning(folderColumns)
          .executeTakeFirstOrThrow();
        return toFolder(row);
      });
    },
  };
}

const toFolder = (row: Omit<Folder, 'is_default'> & { is_default: number }): Folder => ({
  ...row,
  is_default: row.is_default === 1,
});
