import { type SqlBool, sql } from 'kysely';
import { followed } from '../domain/correction.ts';
import { laterThan } from '../domain/note.ts';
import { type OwnerFilter, ownedBy } from '../domain/owner.ts';
import { changesText, keepsRevision } from '../domain/revision.ts';
import { type Segment, textOf } from '../domain/transcript.ts';
import { countWords, type Transcription, transcription } from '../domain/transcription.ts';
import type { Writing } from '../ports/note-store.ts';
import type { TranscriptionStore } from '../ports/transcription-store.ts';
import type { Database, Db } from './database.ts';
import { noteRows, settle } from './notes.ts';
import { reachableBy, recordedFor } from './owners.ts';
import { newestFirst } from './page.ts';
import { keepRevision } from './revisions.ts';
import { rowsOf } from './schema.ts';

/** Two lines of a list. */
const beginningLength = 300;
const rows = rowsOf(transcription.omit({ status: true }));
const listedColumns = rows.columns.filter((column) => column !== 'segments');

export function createTranscriptionStore(database: Database): TranscriptionStore {
  const { db } = database;

  return {
    get: (reader, id) => find(db, reader, id),

    async list(reader, { noteId, language, withSegments, withoutRecorded, ...page }) {
      let query = db
        .selectFrom('transcriptions')
        .select(listedColumns)
        .$if(withSegments, (select) => select.select('segments'))
        .where(recordedFor(reader));
      if (noteId !== undefined) query = query.where('note_id', '=', noteId);
      if (language !== undefined) query = query.where('language', '=', language);
      if (withoutRecorded)
        query = query.where(
          sql<SqlBool>`not exists (select 1 from recordings where recordings.transcription_id = transcriptions.id)`,
        );
      const found = await newestFirst(query, page).execute();
      return found.map((row) => ({ ...rows.fromRow(row), status: 'completed' }));
    },

    beginnings: async (ids) =>
      ids.length === 0
        ? []
        : db
            .selectFrom('transcriptions')
            .select(['id', 'word_count', sql<string>`substr(text, 1, ${beginningLength})`.as('beginning')])
            .where('id', 'in', ids)
            .execute(),

    async changeSegments(userId, id, change, now, note) {
      let isLarge = false;
      const changed = await database.write(async (trx) => {
        const record = await find(trx, ownedBy(userId), id);
        if (!record) return undefined;
        const before = record.segments ?? [];
        const segments = change(before);
        const text = textOf(segments);
        const changes =
          text === textOf(before) ? { segments } : { segments, text, word_count: countWords(text) };
        await trx.updateTable('transcriptions').set(rows.toRow(changes)).where('id', '=', id).execute();
        isLarge =
          note !== undefined &&
          record.note_id !== null &&
          (await changeSpokenNote(database, trx, record.note_id, { ...note, before, after: segments }, now));
        return { ...record, ...changes };
      });
      if (isLarge) await settle(database);
      return changed;
    },

    remove(userId, id) {
      return database.deleting(() =>
        database.write(async (trx) => {
          const result = await trx
            .deleteFrom('transcriptions')
            .where('id', '=', id)
            .where('user_id', '=', userId)
            .executeTakeFirst();
          return result.numDeletedRows > 0n;
        }),
      );
    },
  };
}

async function find(db: Database['db'], reader: OwnerFilter, id: string): Promise<Transcription | undefined> {
  const row = await db
    .selectFrom('transcriptions')
    .select(rows.columns)
    .where('id', '=', id)
    .where(recordedFor(reader))
    .executeTakeFirst();
  return row && { ...rows.fromRow(row), status: 'completed' };
}

export const toRow = ({ status: _, ...record }: Transcription) => rows.toRow(record);

interface Spoken extends Writing {
  reach: OwnerFilter;
  before: readonly Segment[];
  after: readonly Segment[];
}

/** Inside a write that changes a transcription: its note goes with it. True when its text is analysed after the write. */
async function changeSpokenNote(
  { search }: Database,
  trx: Db,
  id: string,
  { reach, by, limits, before, after }: Spoken,
  now: string,
): Promise<boolean> {
  const row = await trx
    .selectFrom('notes')
    .select([...noteRows.columns, 'seq'])
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where(reachableBy(reach))
    .executeTakeFirst();
  if (!row) return false;
  const { seq, ...note } = noteRows.fromRow(row);
  const changes = followed(note, before, after);
  if (changes.transcript === undefined) return false;
  const updated_at = laterThan(note.updated_at, now);
  if (keepsRevision(note, changes, by)) await keepRevision(trx, note, limits, updated_at);
  const author = { ...by, edited_at: updated_at, revision: note.revision + 1 };
  const changed = { ...changes, ...(changesText(note, changes) ? author : {}), updated_at };
  await trx.updateTable('notes').set(noteRows.toRow(changed)).where('seq', '=', seq).execute();
  return !(await search.put(trx, seq, note.owner_id, { ...note, ...changes }));
}
