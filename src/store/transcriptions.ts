import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { type OwnerFilter, ownedBy } from '../domain/owner.ts';
import type { PageQuery } from '../domain/page.ts';
import { textOf } from '../domain/transcript.ts';
import { countWords, type Transcription, transcription } from '../domain/transcription.ts';
import { settle } from '../features/notes/queries.ts';
import type { TranscriptionFilter, TranscriptionStore } from '../ports/transcription-store.ts';
import { recorder } from './audit.ts';
import type { Database } from './database.ts';
import { recordedFor } from './owners.ts';
import { newestFirst } from './page.ts';
import { says } from './says.ts';
import { rowsOf } from './schema.ts';
import { followTranscriptions } from './spoken-notes.ts';

/** Two lines of a list. */
const beginningLength = 300;
const rows = rowsOf(transcription.omit({ status: true }));
const listedColumns = rows.columns.filter((column) => column !== 'segments');

export function createTranscriptionStore(database: Database): TranscriptionStore {
  const { db } = database;

  return {
    get: (reader, id) => find(db, reader, id),

    async list(reader, { withSegments, said, ...options }) {
      if (said?.among.length === 0) return [];
      let query = listed(reader, options)
        .select(listedColumns)
        .$if(withSegments, (select) => select.select('segments'));
      if (said) query = query.where('id', 'in', said.among).where(says(sql.ref('text'), said.words));
      const found = await inOrder(query, options).execute();
      return found.map((row) => ({ ...rows.fromRow(row), status: 'completed' }));
    },

    sizes: (reader, options) =>
      inOrder(listed(reader, options).select(['id', 'created_at', 'word_count']), options).execute(),

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
          (await followTranscriptions(database, trx, record.note_id, note, now));
        return { ...record, ...changes };
      });
      if (isLarge) await settle(database);
      return changed;
    },

    remove(userId, id) {
      const record = recorder();
      return database.write(async (trx) => {
        const result = await trx
          .deleteFrom('transcriptions')
          .where('id', '=', id)
          .where('user_id', '=', userId)
          .executeTakeFirst();
        if (result.numDeletedRows === 0n) return false;
        await record(trx, { act: 'transcription.deleted', subject_id: id });
        return true;
      });
    },
  };

  function listed(
    reader: OwnerFilter,
    { noteId, language, since, until, withoutRecorded }: TranscriptionFilter,
  ) {
    let query = db.selectFrom('transcriptions').where(recordedFor(reader));
    if (noteId !== undefined) query = query.where('note_id', '=', noteId);
    if (language !== undefined)
      query = query.where(
        sql<SqlBool>`(lower(language) = ${language} or substr(lower(language), 1, ${language.length + 1}) = ${`${language}-`})`,
      );
    if (since !== undefined) query = query.where('created_at', '>=', since);
    if (until !== undefined) query = query.where('created_at', '<', until);
    if (withoutRecorded)
      query = query.where(
        sql<SqlBool>`not exists (select 1 from recordings where recordings.transcription_id = transcriptions.id)`,
      );
    return query;
  }
}

const inOrder = <Tables, From extends keyof Tables, Row>(
  query: SelectQueryBuilder<Tables, From, Row>,
  options: PageQuery & TranscriptionFilter,
) => newestFirst(query, options, 'created_at', options.oldestFirst ? 'asc' : 'desc');

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
