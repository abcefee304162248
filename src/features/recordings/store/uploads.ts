import { mustFit, type StorageLimits } from '../../../domain/storage.ts';
import type { Database, Db } from '../../../platform/database/database.ts';
import { storageUse, writeOrRefuse } from './storage.ts';
import type { RecordingStore, UploadState } from './types.ts';

type UploadStore = Pick<
  RecordingStore,
  'upload' | 'openUpload' | 'advance' | 'closeUpload' | 'heldUploads' | 'removeOldUploads' | 'completeUploads'
>;

/** Uploads in several requests. While one of them runs, the row names its server. */
export function createUploadStore(database: Database): UploadStore {
  const { db } = database;

  const own = (trx: Db, id: string) =>
    trx
      .updateTable('recordings')
      .where('id', '=', id)
      .where('state', '=', 'uploading')
      .where('holder', '=', database.processId);

  /** Others of the same person may grow at the same time. */
  async function checkGrowth(trx: Db, id: string, bytes: number, limits: StorageLimits): Promise<void> {
    const before = await trx
      .selectFrom('recordings')
      .select(['user_id', 'bytes'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!before || !(await database.holdAccount(trx, before.user_id))) return;
    mustFit(limits, await storageUse(trx, before.user_id), bytes - before.bytes);
  }

  return {
    async upload(userId, id) {
      const row = await find(db, userId, id);
      return row && stateOf(row);
    },

    openUpload(userId, id, { offset, length }, now, limits) {
      return writeOrRefuse(database, async (trx) => {
        const row = await find(trx, userId, id);
        if (!row) return 'not found';
        if (row.state !== 'uploading' || row.bytes !== offset) return row.bytes;
        const isHeld = row.holder !== '' && row.holder !== database.processId;
        if (isHeld && (await database.isServing(trx, row.holder))) return 'held';
        const upload_length = row.upload_length ?? length ?? null;
        if (upload_length !== null && upload_length < row.bytes) return 'too short';
        if (limits && row.upload_length === null && upload_length !== null) {
          await database.holdAccount(trx, userId);
          mustFit(limits, await storageUse(trx, userId), upload_length - row.bytes);
        }
        await trx
          .updateTable('recordings')
          .set({ holder: database.processId, upload_length, updated_at: now })
          .where('id', '=', id)
          .execute();
        return stateOf({ ...row, upload_length });
      });
    },

    advance(id, bytes, now, limits) {
      return writeOrRefuse(database, async (trx) => {
        if (limits) await checkGrowth(trx, id, bytes, limits);
        const { numUpdatedRows } = await own(trx, id).set({ bytes, updated_at: now }).executeTakeFirst();
        return numUpdatedRows > 0n;
      });
    },

    async closeUpload(id) {
      await database.write((trx) => own(trx, id).set({ holder: '' }).execute());
    },

    async heldUploads({ isResumable }) {
      const held = await db
        .selectFrom('recordings')
        .select('id')
        .where('state', '=', 'uploading')
        .where('holder', '=', database.processId)
        .where('is_resumable', '=', Number(isResumable))
        .execute();
      return held.map(({ id }) => id);
    },

    async removeOldUploads(than) {
      await database.write((trx) =>
        trx
          .deleteFrom('recordings')
          .where('state', '=', 'uploading')
          .where('is_resumable', '=', 1)
          .where('updated_at', '<', than)
          .execute(),
      );
    },

    async completeUploads(silentSince) {
      const found = await db
        .selectFrom('recordings')
        .select(['id', 'bytes', 'upload_length', 'holder'])
        .where('state', '=', 'uploading')
        .where('is_resumable', '=', 1)
        .where((eb) =>
          eb.or([
            eb('bytes', '=', eb.ref('upload_length')),
            eb.and([eb('upload_length', 'is', null), eb('updated_at', '<', silentSince)]),
          ]),
        )
        .execute();
      const left: typeof found = [];
      for (const one of found) {
        // The request that brought the last bytes may still run, and finishes the upload itself.
        const mayRun = one.upload_length !== null && one.holder !== '';
        if (!mayRun || !(await database.isServing(db, one.holder))) left.push(one);
      }
      return left.map(({ id, bytes }) => ({ id, bytes }));
    },
  };
}

const find = (trx: Db, userId: string, id: string) =>
  trx
    .selectFrom('recordings')
    .select(['id', 'bytes', 'state', 'upload_length', 'holder', 'updated_at'])
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('is_resumable', '=', 1)
    .executeTakeFirst();

const stateOf = ({ upload_length, holder: _, ...row }: UploadRow): UploadState => ({
  ...row,
  length: upload_length,
});

type UploadRow = Omit<UploadState, 'length'> & { upload_length: number | null; holder: string };
