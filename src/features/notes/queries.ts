import { setTimeout as sleep } from 'node:timers/promises';
import { type SqlBool, sql } from 'kysely';
import {
  type NoteWithTranscript,
  note,
  noteWithTranscript,
  type StoredNote,
  storedNote,
} from '../../domain/note.ts';
import type { OwnerFilter } from '../../domain/owner.ts';
import type { PageQuery } from '../../domain/page.ts';
import { per } from '../../lib/per.ts';
import type { Database, Db, Tx } from '../../platform/database/database.ts';
import { reachableBy } from '../../platform/database/owners.ts';
import { newestFirst } from '../../platform/database/page.ts';
import { type Row, rowsOf } from '../../platform/database/schema.ts';

export const noteRows = rowsOf(storedNote);
const { all, first, fromRow } = noteRows;
export const noteColumns = rowsOf(note).columns;
export const wholeNote = rowsOf(noteWithTranscript).columns;
const maxAnalysisWaitMs = 5_000;

const living = (db: Db) => db.selectFrom('notes').where('deleted_at', 'is', null);

export const selectNote = (db: Db, reach: OwnerFilter, id: string) =>
  living(db).select(wholeNote).where('id', '=', id).where(reachableBy(reach));

/** Every client repeats this read, and building a query took 40 µs, as long as all the rest of a GET. */
const texts = per(({ db }: Database) => ({
  owner: selectNote(db, { kind: 'owner', ownerId: '' }, '').compile().sql,
  'any space of': selectNote(db, { kind: 'any space of', workspaceId: '' }, '').compile().sql,
  member: selectNote(db, { kind: 'member', userId: '' }, '').compile().sql,
}));

export async function find(
  database: Database,
  reach: OwnerFilter,
  id: string,
): Promise<NoteWithTranscript | undefined> {
  const text = texts(database)[reach.kind];
  const [row] = await database.read<Row<NoteWithTranscript>>(text, [id, ...parametersOf(reach)]);
  return row && fromRow(row);
}

function parametersOf(reach: OwnerFilter): string[] {
  switch (reach.kind) {
    case 'owner':
      return [reach.ownerId];
    case 'any space of':
      return [reach.workspaceId];
    case 'member':
      return [reach.userId, reach.userId];
  }
}

/** Inside `writeLocked`: the note, locked until it ends. */
export const lock = (database: Database, tx: Db, reach: OwnerFilter, id: string) =>
  first(database.locking(selectNote(tx, reach, id).select(['seq', 'owner_id', 'other_edit'])));
export type LockedNote = NonNullable<Awaited<ReturnType<typeof lock>>>;

/** Where the note is. */
export const place = (db: Db, reach: OwnerFilter, id: string) =>
  living(db)
    .select(['owner_id', 'space_id', 'folder_id'])
    .where('id', '=', id)
    .where(reachableBy(reach))
    .executeTakeFirst();

/** The owner's note with this `client_note_id`, or one whose id it is; in the trash too. */
export const withClientId = (db: Db, ownerId: string, clientId: string) =>
  first(
    db
      .selectFrom('notes')
      .select([...noteColumns, 'deleted_at'])
      .where('owner_id', '=', ownerId)
      .where(sql<SqlBool>`(client_note_id = ${clientId} and client_note_id <> id or id = ${clientId})`),
  );

/** With transcripts, newest first. */
export const listWhole = (db: Db, ownerId: string, page: PageQuery): Promise<NoteWithTranscript[]> =>
  all(newestFirst(living(db).select(wholeNote).where('owner_id', '=', ownerId), page));

export const update = (
  tx: Tx,
  { seq }: Pick<LockedNote, 'seq'>,
  changes: Partial<Row<StoredNote>> & { deleted_at?: null },
) => tx.updateTable('notes').set(changes).where('seq', '=', seq).execute();

/** The rows stay until they are purged, but only the trash finds them. */
export async function moveToTrash(
  { search }: Database,
  tx: Db,
  seqs: readonly number[],
  deleted_at: string,
): Promise<void> {
  if (seqs.length === 0) return;
  await tx.updateTable('notes').set({ deleted_at }).where('seq', 'in', seqs).execute();
  await search.remove(tx, seqs);
}

/** After the write of a large text, which a thread analyses: the client waits for it, but not for long. */
export async function settle({ search }: Database): Promise<void> {
  const waited = new AbortController();
  const analysed = search.indexPending().finally(() => waited.abort());
  const late = sleep(maxAnalysisWaitMs, undefined, { signal: waited.signal });
  // After a failure the note stays queued for the next long note, or the next start.
  await Promise.race([analysed, late]).catch(() => {});
}

/** The person's transcription, and whether a note that is not in the trash was made from it. */
export const transcriptionOf = (db: Db, userId: string, id: string) =>
  db
    .selectFrom('transcriptions as t')
    .leftJoin('notes', (join) => join.onRef('notes.id', '=', 't.note_id').on('notes.deleted_at', 'is', null))
    .select(['t.text', 't.segments', 'notes.id as noteId'])
    .where('t.id', '=', id)
    .where('t.user_id', '=', userId)
    .executeTakeFirst();

/** The transcription and its recording belong to the note from now on. */
export async function linkTranscription(tx: Db, id: string, note_id: string): Promise<void> {
  await tx.updateTable('transcriptions').set({ note_id }).where('id', '=', id).execute();
  await tx.updateTable('recordings').set({ note_id }).where('transcription_id', '=', id).execute();
}
