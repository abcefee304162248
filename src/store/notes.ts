import { setTimeout as sleep } from 'node:timers/promises';
import { type SqlBool, sql } from 'kysely';
import {
  isAsExpected,
  isCarriedOut,
  laterThan,
  maxTotal,
  type NoteChanges,
  type NoteWithTranscript,
  note,
  noteWithTranscript,
  realChanges,
  storedNote,
} from '../domain/note.ts';
import type { OwnerFilter } from '../domain/owner.ts';
import { changesText, keepsRevision } from '../domain/revision.ts';
import { decided } from '../domain/spoken.ts';
import type { NoteStore, Writing } from '../ports/note-store.ts';
import type { Database, Db, NewNote } from './database.ts';
import { keyCompletion } from './idempotency.ts';
import { createNoteLists } from './note-lists.ts';
import { accountDeleted, ownsFolder, reachableBy } from './owners.ts';
import { newestFirst } from './page.ts';
import { keepRevision } from './revisions.ts';
import { type Row, rowsOf } from './schema.ts';

export const noteRows = rowsOf(storedNote);
const { toRow, fromRow } = noteRows;
const listed = rowsOf(note).columns;
export const wholeNote = rowsOf(noteWithTranscript).columns;
const maxAnalysisWaitMs = 5_000;

export function createNoteStore(database: Database): NoteStore {
  const { db, search } = database;
  // Every client repeats these reads, and building a query took 40 µs, as long as all the rest of a GET.
  const oneOwned = selectNote(db, { kind: 'owner', ownerId: '' }, '').compile().sql;
  const oneInWorkspace = selectNote(db, { kind: 'any space of', workspaceId: '' }, '').compile().sql;
  const oneOfMember = selectNote(db, { kind: 'member', userId: '' }, '').compile().sql;

  return {
    async insert(note, transcriptionId) {
      const text = search.analyse(note);
      const added = { row: toRow(note), text };
      const completeKey = keyCompletion();
      const outcome =
        transcriptionId === undefined
          ? await database.createNote(added, completeKey)
          : await database.write(async (trx) => {
              const inserted = await insertLinked(database, trx, added, transcriptionId);
              if (inserted === 'ok') await completeKey?.(trx, note.id);
              return inserted;
            });
      if (outcome === 'no account') throw accountDeleted();
      if (text === null && outcome === 'ok') await settle(database);
      return outcome;
    },

    async get(filter, id) {
      const [row] = await read(filter, id);
      return row && fromRow(row);
    },

    place: (filter, id) =>
      db
        .selectFrom('notes')
        .select(['space_id', 'folder_id'])
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .where(reachableBy(filter))
        .executeTakeFirst(),

    async findByClientId(ownerId, clientNoteId) {
      const rows = await db
        .selectFrom('notes')
        .select([...listed, 'deleted_at'])
        .where('owner_id', '=', ownerId)
        .where(
          sql<SqlBool>`(client_note_id = ${clientNoteId} and client_note_id <> id or id = ${clientNoteId})`,
        )
        .execute();
      return rows.map(fromRow)[0];
    },

    ...createNoteLists(database),

    async listWhole(ownerId, page) {
      const notes = db
        .selectFrom('notes')
        .select(wholeNote)
        .where('owner_id', '=', ownerId)
        .where('deleted_at', 'is', null);
      return (await newestFirst(notes, page).execute()).map(fromRow);
    },

    async update(filter, id, changes, now, writing) {
      const change = { filter, id, changes: () => changes, now, writing };
      const { outcome, isLarge } = await database.writeLocked((trx) => changeNote(database, trx, change), id);
      if (isLarge) await settle(database);
      return outcome;
    },

    softDelete(filter, id, now) {
      return database.writeLocked(async (trx) => {
        const note = await findForChange(database, trx, filter, id);
        if (!note) return false;
        await moveToTrash(database, trx, [note.seq], now);
        return true;
      }, id);
    },

    async search(ownerId, { query, limit, filter = {}, highlights = false }, signal) {
      const request = { ownerId, query, limit, filter, highlights };
      const { hits, total, complete } = await search.find(request, signal);
      const counts = { total: Math.min(total, maxTotal), more: total > maxTotal, complete };
      if (hits.length === 0) return { data: [], ...counts };
      // The query does not name the owner: without statistics PostgreSQL would then read all their notes (87 ms for 100,000).
      const rows = await db
        .selectFrom('notes')
        .select(['seq', 'owner_id', 'deleted_at', ...listed])
        .where(
          'seq',
          'in',
          hits.map((hit) => hit.seq),
        )
        .execute();
      const notes = new Map(
        rows
          .filter((row) => row.owner_id === ownerId && row.deleted_at === null)
          .map(({ seq, owner_id, deleted_at, ...row }) => [seq, fromRow(row)]),
      );
      const best = hits[0]?.rank ?? 1;
      const data = hits.flatMap(({ seq, rank, highlights }) => {
        const note = notes.get(seq);
        return note ? [{ ...note, score: rank / best, ...(highlights && { highlights }) }] : [];
      });
      return { data, ...counts };
    },

    speakers: (ownerId, limit, signal) => search.speakers(ownerId, limit, signal),
  };

  function read(filter: OwnerFilter, id: string) {
    switch (filter.kind) {
      case 'owner':
        return database.read<Row<NoteWithTranscript>>(oneOwned, [id, filter.ownerId]);
      case 'any space of':
        return database.read<Row<NoteWithTranscript>>(oneInWorkspace, [id, filter.workspaceId]);
      case 'member':
        return database.read<Row<NoteWithTranscript>>(oneOfMember, [id, filter.userId, filter.userId]);
    }
  }
}

/** Inside `writeLocked`: the note, locked, if it is within reach. */
export async function findForChange(database: Database, trx: Db, filter: OwnerFilter, id: string) {
  const found = selectNote(trx, filter, id).select(['seq', 'owner_id', 'other_edit']);
  const row = await database.locking(found).executeTakeFirst();
  return row && fromRow(row);
}

interface NoteChange {
  filter: OwnerFilter;
  id: string;
  changes(note: NoteWithTranscript): NoteChanges;
  now: string;
  writing: Writing;
}

/** Inside `writeLocked`. `isLarge`: its text is analysed after the write, with `settle`. */
export async function changeNote(
  database: Database,
  trx: Db,
  { filter, id, changes: changesOf, now, writing: { by, limits, expected = {} } }: NoteChange,
): Promise<{ outcome: Awaited<ReturnType<NoteStore['update']>>; isLarge: boolean }> {
  const as = (outcome: Awaited<ReturnType<NoteStore['update']>>) => ({ outcome, isLarge: false });
  const before = await findForChange(database, trx, filter, id);
  if (!before) return as('not found');
  const { seq, owner_id, other_edit, ...note } = before;
  if (by.edit && isCarriedOut(by.edit, note.edit, other_edit)) return as(note);
  const changes = changesOf(note);
  if (changes.folder_id && !(await ownsFolder(trx, owner_id, changes.folder_id))) return as('unknown folder');
  if (!isAsExpected(note, expected)) return as({ changedSince: note });
  const real = realChanges(note, decided(note, changes));
  if (Object.keys(real).length === 0) return as(note);
  const updated_at = laterThan(note.updated_at, now);
  const isText = changesText(note, real);
  const author = isText ? { ...by, edited_at: updated_at } : {};
  const changed = { ...real, ...author, revision: note.revision + 1, updated_at };
  const after = { ...note, ...changed };
  if (keepsRevision(note, real, by)) await keepRevision(trx, note, limits, updated_at);
  await trx
    .updateTable('notes')
    .set(toRow(isText ? changed : { ...changed, other_edit: by.edit }))
    .where('seq', '=', seq)
    .execute();
  const isLarge = isText && !(await database.search.put(trx, seq, owner_id, after));
  return { outcome: after, isLarge };
}

/** A large text is analysed after the write, in a thread, so that the client does not wait for it. */
export async function settle({ search }: Database): Promise<void> {
  const waited = new AbortController();
  const analysed = search.indexPending().finally(() => waited.abort());
  const late = sleep(maxAnalysisWaitMs, undefined, { signal: waited.signal });
  // After a failure the note stays queued for the next long note, or the next start.
  await Promise.race([analysed, late]).catch(() => {});
}

/** Inside a write: the rows stay until they are purged, but only the trash finds them. */
export async function moveToTrash(
  { search }: Database,
  trx: Db,
  seqs: readonly number[],
  deleted_at: string,
): Promise<void> {
  await trx.updateTable('notes').set({ deleted_at }).where('seq', 'in', seqs).execute();
  await search.remove(trx, seqs);
}

export const selectNote = (db: Db, filter: OwnerFilter, id: string) =>
  db
    .selectFrom('notes')
    .select(wholeNote)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where(reachableBy(filter));

/** Inside a write: stores a note that gets the transcript of a transcription. */
export async function insertLinked(database: Database, trx: Db, added: NewNote, transcriptionId: string) {
  const { id, user_id } = added.row;
  const unlinkable = await refuseLink(trx, user_id, transcriptionId);
  if (unlinkable) return unlinkable;
  const inserted = await database.insertNote(trx, added);
  if (inserted === 'ok') await linkTranscription(trx, transcriptionId, id);
  return inserted;
}

/** Also deletes its recording. */
async function linkTranscription(trx: Db, transcriptionId: string, note_id: string): Promise<void> {
  await trx.updateTable('transcriptions').set({ note_id }).where('id', '=', transcriptionId).execute();
  await trx
    .updateTable('recordings')
    .set({ note_id })
    .where('transcription_id', '=', transcriptionId)
    .execute();
}

/** A transcription is linked to one note at a time; a link to a deleted note does not count. */
async function refuseLink(trx: Db, userId: string, transcriptionId: string) {
  const found = await trx
    .selectFrom('transcriptions as t')
    .leftJoin('notes', (join) => join.onRef('notes.id', '=', 't.note_id').on('notes.deleted_at', 'is', null))
    .select('notes.id as liveNoteId')
    .where('t.id', '=', transcriptionId)
    .where('t.user_id', '=', userId)
    .executeTakeFirst();
  if (!found) return 'unknown transcription' as const;
  return found.liveNoteId === null ? null : ('linked already' as const);
}
