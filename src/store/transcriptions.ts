import type { Insertable } from 'kysely';
import type { Segment } from '../domain/transcript.ts';
import type { Transcription } from '../domain/transcription.ts';
import type { TranscriptionStore } from '../ports/transcription-store.ts';
import type { Database } from './database.ts';
import { isBehind } from './page.ts';
import type { Schema } from './schema.ts';

const listedColumns = [
  'id',
  'user_id',
  'note_id',
  'text',
  'word_count',
  'source',
  'provider',
  'model',
  'language',
  'audio_duration_ms',
  'processing_ms',
  'created_at',
] as const;

export function createTranscriptionStore(database: Database): TranscriptionStore {
  const { db } = database;

  return {
    async get(userId, id) {
      const row = await db
        .selectFrom('transcriptions')
        .select([...listedColumns, 'segments'])
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row && { ...row, status: 'completed', segments: parseSegments(row.segments) };
    },

    async list(userId, { limit, after, noteId, language, withSegments }) {
      let query = db
        .selectFrom('transcriptions')
        .select(listedColumns)
        .$if(withSegments, (select) => select.select('segments'))
        .where('user_id', '=', userId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit);
      if (noteId !== undefined) query = query.where('note_id', '=', noteId);
      if (language !== undefined) query = query.where('language', '=', language);
      if (after) query = query.where(isBehind(after));
      const rows = await query.execute();
      return rows.map(({ segments, ...row }) => ({
        ...row,
        status: 'completed',
        ...(segments === undefined ? {} : { segments: parseSegments(segments) }),
      }));
    },

    remove(userId, id) {
      return database.write(async (trx) => {
        const result = await trx
          .deleteFrom('transcriptions')
          .where('id', '=', id)
          .where('user_id', '=', userId)
          .executeTakeFirst();
        return result.numDeletedRows > 0n;
      });
    },
  };
}

const parseSegments = (json: string | null): Segment[] | null => (json === null ? null : JSON.parse(json));

export function toRow({
  status: _,
  segments,
  ...record
}: Transcription): Insertable<Schema['transcriptions']> {
  return { ...record, segments: segments ? JSON.stringify(segments) : null };
}
