import { type OwnerFilter, ownedBy } from '../domain/owner.ts';
import { type Transcription, transcription } from '../domain/transcription.ts';
import type { TranscriptionStore } from '../ports/transcription-store.ts';
import type { Database } from './database.ts';
import { recordedFor } from './owners.ts';
import { newestFirst } from './page.ts';
import { rowsOf } from './rows.ts';

const rows = rowsOf(transcription.omit({ status: true }));
const listedColumns = rows.columns.filter((column) => column !== 'segments');

export function createTranscriptionStore(database: Database): TranscriptionStore {
  const { db } = database;

  return {
    get: (reader, id) => find(db, reader, id),

    async list(reader, { noteId, language, withSegments, ...page }) {
      let query = db
        .selectFrom('transcriptions')
        .select(listedColumns)
        .$if(withSegments, (select) => select.select('segments'))
        .where(recordedFor(reader));
      if (noteId !== undefined) query = query.where('note_id', '=', noteId);
      if (language !== undefined) query = query.where('language', '=', language);
      const found = await newestFirst(query, page).execute();
      return found.map((row) => ({ ...rows.fromRow(row), status: 'completed' }));
    },

    changeSegments(userId, id, change) {
      return database.write(async (trx) => {
        const record = await find(trx, ownedBy(userId), id);
        if (!record) return undefined;
        const segments = change(record.segments ?? []);
        await trx.updateTable('transcriptions').set(rows.toRow({ segments })).where('id', '=', id).execute();
        return { ...record, segments };
      });
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
