import { folder, maxSortOrder } from '../domain/folder.ts';
import { laterThan } from '../domain/note.ts';
import type { OwnerFilter } from '../domain/owner.ts';
import type { FolderStore } from '../ports/note-store.ts';
import type { Database, Db } from './database.ts';
import { keyCompletion } from './idempotency.ts';
import { moveToTrash } from './notes.ts';
import { reachableBy, requireOwner } from './owners.ts';
import { rowsOf } from './schema.ts';

const { columns, toRow, fromRow } = rowsOf(folder);
/** A folder with more notes is emptied in several writes, so that nobody waits long. */
const notesPerWrite = 500;

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
      const completeKey = keyCompletion();
      return database.write(async (trx) => {
        await requireOwner(database, trx, draft);
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
        await completeKey?.(trx, draft.id);
        return fromRow(row);
      });
    },

    update(filter, id, changes, now) {
      return database.write(async (trx) => {
        const before = await findForChange(trx, filter, id);
        if (!before) return 'not found';
        const { owner_id, ...folder } = before;
        if (Object.keys(changes).length === 0) return folder;
        if (changes.name_key !== undefined && (await hasName(trx, owner_id, id, changes.name_key)))
          return 'conflict';
        const updated_at = laterThan(folder.updated_at, now);
        const row = await trx
          .updateTable('folders')
          .set({ ...changes, updated_at })
          .where('id', '=', id)
          .returning(columns)
          .executeTakeFirstOrThrow();
        return fromRow(row);
      });
    },

    async remove(filter, id, { notes, now }) {
      while (true) {
        const outcome = await database.write(async (trx) => {
          if (!(await findForChange(trx, filter, id))) return 'not found';
          const found = await trx
            .selectFrom('notes')
            .select(['seq', 'revision', 'updated_at'])
            .where('folder_id', '=', id)
            .where('deleted_at', 'is', null)
            .limit(notesPerWrite)
            .execute();
          const seqs = found.map(({ seq }) => seq);
          if (notes === 'trash' && seqs.length > 0) await moveToTrash(database, trx, seqs, now);
          if (notes === 'keep')
            for (const { seq, revision, updated_at } of found)
              await trx
                .updateTable('notes')
                .set({ folder_id: null, revision: revision + 1, updated_at: laterThan(updated_at, now) })
                .where('seq', '=', seq)
                .execute();
          if (found.length === notesPerWrite) return 'more';
          // The notes in the trash forget the folder by their foreign key.
          await trx.deleteFrom('folders').where('id', '=', id).execute();
          return 'ok';
        });
        if (outcome !== 'more') return outcome === 'ok';
      }
    },
  };
}

async function findForChange(trx: Db, filter: OwnerFilter, id: string) {
  const row = await trx
    .selectFrom('folders')
    .select([...columns, 'owner_id'])
    .where('id', '=', id)
    .where(reachableBy(filter))
    .executeTakeFirst();
  return row && fromRow(row);
}

const hasName = async (trx: Db, ownerId: string, otherThan: string, nameKey: string) =>
  (await trx
    .selectFrom('folders')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('name_key', '=', nameKey)
    .where('id', '!=', otherThan)
    .executeTakeFirst()) !== undefined;
