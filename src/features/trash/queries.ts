import { note, trashedNote } from '../../domain/note.ts';
import type { OwnerFilter } from '../../domain/owner.ts';
import type { PageQuery } from '../../domain/page.ts';
import type { Database, Db, Tx } from '../../platform/database/database.ts';
import { reachableBy } from '../../platform/database/owners.ts';
import { newestFirst } from '../../platform/database/page.ts';
import { rowsOf } from '../../platform/database/schema.ts';
import { noteRows } from '../notes/queries.ts';

const listed = [...rowsOf(note).columns, 'deleted_at'] as const;

export const trashed = (db: Db) => db.selectFrom('notes').where('deleted_at', 'is not', null);

/** The last deleted first. */
export const selectTrash = (db: Db, ownerId: string, page: PageQuery) =>
  newestFirst(trashed(db).select(listed).where('owner_id', '=', ownerId), page, 'deleted_at');

export const page = async (db: Db, ownerId: string, query: PageQuery) =>
  (await selectTrash(db, ownerId, query).execute()).map((row) => trashedNote.parse(noteRows.fromRow(row)));

export const find = (db: Db, reach: OwnerFilter, id: string) =>
  noteRows.first(trashed(db).selectAll().where('id', '=', id).where(reachableBy(reach)));

/** Deletes notes with all that was made from them. What the search index holds of them is scrubbed afterwards. */
export async function remove(
  { search }: Database,
  tx: Tx,
  notes: readonly { id: string; seq: number; owner_id: string }[],
): Promise<void> {
  for (const { id, seq } of notes) {
    await tx.deleteFrom('recordings').where('note_id', '=', id).execute();
    await tx.deleteFrom('transcriptions').where('note_id', '=', id).execute();
    await tx.deleteFrom('notes').where('seq', '=', seq).execute();
  }
  await search.queueScrub(tx, new Set(notes.map((note) => note.owner_id)));
}
