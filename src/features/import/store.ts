import { sql } from 'kysely';
import { recording } from '../../domain/recording.ts';
import type { Database } from '../../platform/database/database.ts';
import type { ImportStore } from '../../platform/database/ports/note-store.ts';
import { rowsOf } from '../../platform/database/schema.ts';

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
    async twinOf(userId, { kind, created_at, ...same }) {
      const owner = kind === 'notes' ? 'owner_id' : 'user_id';
      let twins = db
        .selectFrom(kind)
        .select('id')
        .where(sql.ref(owner), '=', userId)
        .where('created_at', '=', created_at);
      for (const [column, value] of Object.entries(same)) twins = twins.where(sql.ref(column), '=', value);
      // As the index of the lists says.
      if (kind === 'notes') twins = twins.where(sql`deleted_at`, 'is', null);
      return (await twins.executeTakeFirst())?.id;
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
    async insertTranscription({ status: _, ...row }) {
      await database.write((trx) => trx.insertInto('transcriptions').values(row).execute());
    },
  };
}
