import { laterThan, note, noteWithTranscript, trashedNote } from '../domain/note.ts';
import type { OwnerFilter } from '../domain/owner.ts';
import type { PageQuery } from '../domain/page.ts';
import type { TrashStore } from '../ports/note-store.ts';
import { recorder, workspaceOf } from './audit.ts';
import type { Database, Db } from './database.ts';
import { settle } from './notes.ts';
import { reachableBy } from './owners.ts';
import { newestFirst } from './page.ts';
import { rowsOf } from './schema.ts';

const { fromRow } = rowsOf(noteWithTranscript);
const listed = [...rowsOf(note).columns, 'deleted_at'] as const;
const whole = rowsOf(noteWithTranscript).columns;
/** More notes are purged in several writes, so that nobody waits long. */
const notesPerWrite = 200;

export function createTrashStore(database: Database): TrashStore {
  const { db, search } = database;

  /** Inside a write. What the search index holds of the notes is scrubbed afterwards. */
  async function remove(trx: Db, notes: readonly { id: string; seq: number; owner_id: string }[]) {
    for (const { id, seq } of notes) {
      await trx.deleteFrom('recordings').where('note_id', '=', id).execute();
      await trx.deleteFrom('transcriptions').where('note_id', '=', id).execute();
      await trx.deleteFrom('notes').where('seq', '=', seq).execute();
    }
    await search.queueScrub(trx, new Set(notes.map((note) => note.owner_id)));
  }

  async function removeAll(
    which: (trx: Db) => ReturnType<typeof trashed>,
    tell: (trx: Db, notes: number) => Promise<void>,
  ): Promise<void> {
    let removed: number;
    do {
      removed = await database.write(async (trx) => {
        const notes = await which(trx).select(['id', 'seq', 'owner_id']).limit(notesPerWrite).execute();
        await remove(trx, notes);
        if (notes.length > 0) await tell(trx, notes.length);
        return notes.length;
      });
    } while (removed === notesPerWrite);
    scrubLater();
  }

  /** Runs in the background. If it fails, the hourly housekeeping does it. */
  const scrubLater = () => search.scrub().catch(() => {});

  return {
    async list(ownerId, page) {
      const rows = await selectTrash(db, ownerId, page).execute();
      return rows.map((row) => trashedNote.parse(fromRow(row)));
    },

    async restore(filter, id, now) {
      let isLarge = false;
      const restored = await database.write(async (trx) => {
        const row = await one(trx, filter, id)
          .select([...whole, 'seq', 'owner_id'])
          .executeTakeFirst();
        if (!row) return undefined;
        const { seq, owner_id, ...note } = fromRow(row);
        const updated_at = laterThan(note.updated_at, now);
        await trx.updateTable('notes').set({ deleted_at: null, updated_at }).where('seq', '=', seq).execute();
        isLarge = !(await search.put(trx, seq, owner_id, note));
        return { ...note, updated_at };
      });
      if (isLarge) await settle(database);
      return restored;
    },

    async purge(filter, id) {
      const record = recorder();
      const isPurged = await database.write(async (trx) => {
        const note = await one(trx, filter, id).select(['id', 'seq', 'owner_id']).executeTakeFirst();
        if (!note) return false;
        await remove(trx, [note]);
        const workspace_id = await workspaceOf(trx, note.owner_id);
        await record(trx, { act: 'note.purged', workspace_id, subject_id: id });
        return true;
      });
      if (isPurged) scrubLater();
      return isPurged;
    },

    empty(ownerId) {
      const record = recorder();
      return removeAll(
        (trx) => trashed(trx).where('owner_id', '=', ownerId),
        async (trx, notes) =>
          record(trx, {
            act: 'note.purged',
            workspace_id: await workspaceOf(trx, ownerId),
            detail: `${notes} notes of the trash`,
          }),
      );
    },

    // Not in the audit log: no person empties the trash here, its 30 days (`STENO_TRASH_DAYS`) are over.
    purgeOlder: (than) =>
      removeAll(
        (trx) => trashed(trx).where('deleted_at', '<', than),
        async () => {},
      ),
  };
}

export const selectTrash = (db: Db, ownerId: string, page: PageQuery) =>
  newestFirst(trashed(db).select(listed).where('owner_id', '=', ownerId), page, 'deleted_at');

const trashed = (db: Db) => db.selectFrom('notes').where('deleted_at', 'is not', null);

const one = (trx: Db, filter: OwnerFilter, id: string) =>
  trashed(trx).where('id', '=', id).where(reachableBy(filter));
