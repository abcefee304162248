import { type Folder, type FolderChanges, folder } from '../../domain/folder.ts';
import type { OwnerFilter } from '../../domain/owner.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import type { Db, Tx } from '../../platform/database/database.ts';
import { reachableBy } from '../../platform/database/owners.ts';
import { rowsOf } from '../../platform/database/schema.ts';

const { all, columns, first, only, toRow } = rowsOf(folder);

export type NewFolder = Folder & { owner_id: string; name_key: string };

const of = (db: Db, ownerId: string) => db.selectFrom('folders').where('owner_id', '=', ownerId);

/** All folders, by `sort_order`, then by age. */
export const list = (db: Db, ownerId: string): Promise<Folder[]> =>
  all(of(db, ownerId).select(columns).orderBy('sort_order').orderBy('created_at').orderBy('id'));

export const find = (db: Db, reach: OwnerFilter, id: string) =>
  first(
    db
      .selectFrom('folders')
      .select([...columns, 'owner_id'])
      .where('id', '=', id)
      .where(reachableBy(reach)),
  );

/** Names and places of the owner's folders. */
export const siblings = (db: Db, ownerId: string) =>
  of(db, ownerId).select(['id', 'name_key', 'sort_order']).execute();

export const insert = (tx: Tx, row: NewFolder): Promise<Folder> =>
  only(tx.insertInto('folders').values(toRow(row)).returning(columns));

export const update = (
  tx: Tx,
  { id }: Authorized<Folder>,
  changes: FolderChanges & { name_key?: string; updated_at: string },
): Promise<Folder> => only(tx.updateTable('folders').set(changes).where('id', '=', id).returning(columns));

/** The notes in the trash forget the folder by their foreign key. */
export const remove = (tx: Tx, { id }: Authorized<Folder>) =>
  tx.deleteFrom('folders').where('id', '=', id).execute();

/** Some of its notes that are not in the trash. */
export const notesIn = (tx: Tx, { id }: Authorized<Folder>, limit: number) =>
  tx
    .selectFrom('notes')
    .select(['seq', 'revision', 'updated_at'])
    .where('folder_id', '=', id)
    .where('deleted_at', 'is', null)
    .limit(limit)
    .execute();

export const takeOut = (tx: Tx, { seq, revision }: { seq: number; revision: number }, updated_at: string) =>
  tx
    .updateTable('notes')
    .set({ folder_id: null, revision: revision + 1, updated_at })
    .where('seq', '=', seq)
    .execute();
