import type { ImportStore } from '../ports/note-store.ts';
import type { Database } from './database.ts';
import { toRow } from './transcriptions.ts';

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
    async insertTranscription(record) {
      await database.write((trx) => trx.insertInto('transcriptions').values(toRow(record)).execute());
    },
  };
}
