import { recording } from '../domain/recording.ts';
import type { ImportStore } from '../ports/note-store.ts';
import type { Database } from './database.ts';
import { rowsOf } from './schema.ts';
import { toRow } from './transcriptions.ts';

const { toRow: recordingToRow } = rowsOf(recording);

export function createImportStore(database: Database): ImportStore {
  const { db } = database;
  return {
    async ownerOf(kind, id) {
      if (kind === 'notes' || kind === 'folders') {
        const row = await db.selectFrom(kind).select('owner_id').where('id', '=', id).executeTakeFirst();
        return row?.owner_id;
      }
      const row = await db.selectFrom(kind).select('user_id').where('id', '=', id).executeTakeFirst();
      return row?.user_id;
    },
    async finishRecording({ id, ...finished }) {
      const { numUpdatedRows } = await database.write((trx) =>
        trx
          .updateTable('recordings')
          .set({ ...recordingToRow(finished), holder: '' })
          .where('id', '=', id)
          .where('state', '=', 'uploading')
          .executeTakeFirst(),
      );
      return numUpdatedRows > 0n;
    },
    async insertTranscription(record) {
      await database.write((trx) => trx.insertInto('transcriptions').values(toRow(record)).execute());
    },
  };
}
