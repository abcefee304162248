import { sql } from 'kysely';
import { type ChangedNote, type ChangeOfMany, laterThan } from '../domain/note.ts';
import type { ManyNotesStore } from '../ports/note-store.ts';
import type { Database, Db } from './database.ts';
import { moveToTrash, settle } from './notes.ts';
import { reachableBy } from './owners.ts';

const columns = ['seq', 'id', 'owner_id', 'folder_id', 'pinned', 'deleted_at', 'updated_at'] as const;

/** Many notes in one write. Those that are as asked already stay untouched, so that a request can be sent again. */
export const createManyNotesStore = (database: Database): ManyNotesStore => ({
  async change(filter, ids, change, now) {
    const outcome = await database.writeLocked(async (trx) => {
      const found = trx
        .selectFrom('notes')
        .select(columns)
        .where('id', 'in', ids)
        .where(reachableBy(filter))
        // Locking in one order keeps two such writes from a deadlock.
        .orderBy('seq');
      const all = await database.locking(found).execute();
      const notes = 'deleted' in change ? all : all.filter(({ deleted_at }) => deleted_at === null);
      if ('folder_id' in change && change.folder_id !== null) {
        const folder = await trx
          .selectFrom('folders')
          .select('owner_id')
          .where('id', '=', change.folder_id)
          .where(reachableBy(filter))
          .executeTakeFirst();
        if (!folder || notes.some(({ owner_id }) => owner_id !== folder.owner_id)) return 'unknown folder';
      }
      const done = notes.filter((note) => isAsAsked(note, change));
      const open = notes.filter((note) => !isAsAsked(note, change));
      const changed = await write(database, trx, open, change, now);
      return [...done, ...changed].map(({ id, updated_at }): ChangedNote => ({ id, updated_at }));
    });
    if ('deleted' in change && !change.deleted) await settle(database);
    return outcome;
  },
});

interface Found extends ChangedNote {
  seq: number;
  folder_id: string | null;
  pinned: number;
  deleted_at: string | null;
}

function isAsAsked(note: Found, change: ChangeOfMany): boolean {
  if ('deleted' in change) return (note.deleted_at !== null) === change.deleted;
  if ('pinned' in change) return note.pinned === Number(change.pinned);
  return note.folder_id === change.folder_id;
}

/** Inside a write. Returns the notes as they are then. */
async function write(
  database: Database,
  trx: Db,
  notes: readonly Found[],
  change: ChangeOfMany,
  now: string,
): Promise<readonly ChangedNote[]> {
  if (notes.length === 0) return [];
  const seqs = notes.map(({ seq }) => seq);
  if ('deleted' in change && change.deleted) {
    await moveToTrash(database, trx, seqs, now);
    return notes;
  }
  const changed = notes.map((note) => ({ ...note, updated_at: laterThan(note.updated_at, now) }));
  for (const [updated_at, same] of Map.groupBy(changed, (note) => note.updated_at))
    await trx
      .updateTable('notes')
      .set({ ...valuesOf(change), updated_at })
      .where(
        'seq',
        'in',
        same.map(({ seq }) => seq),
      )
      .execute();
  if ('deleted' in change) await database.search.putLater(trx, seqs);
  return changed;
}

function valuesOf(change: ChangeOfMany) {
  if ('deleted' in change) return { deleted_at: null };
  const revision = sql<number>`revision + 1`;
  return 'pinned' in change ? { pinned: Number(change.pinned), revision } : { ...change, revision };
}
