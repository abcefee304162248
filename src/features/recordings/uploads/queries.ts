import type { Recording } from '../../../domain/recording.ts';
import { mustFit, type StorageLimits } from '../../../domain/storage.ts';
import type { Database, Db, Tx } from '../../../platform/database/database.ts';
import { storageUse, type Within } from '../storage.ts';

/** An upload in several requests. While one of them runs, `holder` names its server. */
export interface Upload extends Pick<Recording, 'id' | 'bytes' | 'state' | 'updated_at'> {
  upload_length: number | null;
  holder: string;
}

export const findUpload = (db: Db, userId: string, id: string): Promise<Upload | undefined> =>
  db
    .selectFrom('recordings')
    .select(['id', 'bytes', 'state', 'upload_length', 'holder', 'updated_at'])
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('is_resumable', '=', 1)
    .executeTakeFirst();

/** The row of an upload that this server receives. */
const own = ({ database, tx }: Within, id: string) =>
  tx
    .updateTable('recordings')
    .where('id', '=', id)
    .where('state', '=', 'uploading')
    .where('holder', '=', database.processId);

/** Whether another server receives this upload now. */
export const isHeldElsewhere = async ({ database, tx }: Within, { holder }: Upload): Promise<boolean> =>
  holder !== '' && holder !== database.processId && (await database.isServing(tx, holder));

/** This server goes on with the upload. Raises `plan_required` if a length that the client tells now leaves no room. */
export async function open(
  { database, tx }: Within,
  { id, bytes, upload_length: known }: Upload,
  { userId, length, limits }: { userId: string; length: number | null; limits: StorageLimits },
  now: string,
): Promise<void> {
  if (known === null && length !== null) {
    await database.holdAccount(tx, userId);
    mustFit(limits, await storageUse(tx, userId), length - bytes);
  }
  await tx
    .updateTable('recordings')
    .set({ holder: database.processId, upload_length: length, updated_at: now })
    .where('id', '=', id)
    .execute();
}

/**
 * This many bytes are durable. False if this server no longer has the upload. Raises `plan_required` if they do not fit into
 * these limits, which are for an upload whose length was not announced.
 */
export async function advance(
  within: Within,
  id: string,
  bytes: number,
  now: string,
  limits?: StorageLimits,
): Promise<boolean> {
  if (limits) await checkGrowth(within, id, bytes, limits);
  const { numUpdatedRows } = await own(within, id).set({ bytes, updated_at: now }).executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Others of the same person may grow at the same time. */
async function checkGrowth({ database, tx }: Within, id: string, bytes: number, limits: StorageLimits) {
  const before = await tx
    .selectFrom('recordings')
    .select(['user_id', 'bytes'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!before || !(await database.holdAccount(tx, before.user_id))) return;
  mustFit(limits, await storageUse(tx, before.user_id), bytes - before.bytes);
}

export const close = (within: Within, id: string) => own(within, id).set({ holder: '' }).execute();

/** Uploads that name this server. It may have stopped receiving one while the database was away. */
export const held = ({ db, processId }: Database, { isResumable }: { isResumable: boolean }) =>
  db
    .selectFrom('recordings')
    .select('id')
    .where('state', '=', 'uploading')
    .where('holder', '=', processId)
    .where('is_resumable', '=', Number(isResumable))
    .execute();

/** Deletes resumable uploads in which nothing happened since. */
export const removeOld = (tx: Tx, than: string) =>
  tx
    .deleteFrom('recordings')
    .where('state', '=', 'uploading')
    .where('is_resumable', '=', 1)
    .where('updated_at', '<', than)
    .execute();

/** Uploads that are complete but not queued, and that no request is finishing; and live uploads without activity since then. */
export async function complete({ db, isServing }: Database, silentSince: string) {
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
    if (!mayRun || !(await isServing(db, one.holder))) left.push(one);
  }
  return left;
}

/** Deletes uploads and promises of storage of servers that are gone. */
export async function removeAbandoned({ database, tx }: Within): Promise<void> {
  const uploads = await tx
    .selectFrom('recordings')
    .select(['id', 'holder'])
    .where('state', '=', 'uploading')
    .where('is_resumable', '=', 0)
    .execute();
  const reservations = await tx.selectFrom('storage_reservations').select(['id', 'holder']).execute();
  for (const { id, holder } of uploads)
    if (!(await database.isServing(tx, holder)))
      await tx.deleteFrom('recordings').where('id', '=', id).execute();
  for (const { id, holder } of reservations)
    if (!(await database.isServing(tx, holder)))
      await tx.deleteFrom('storage_reservations').where('id', '=', id).execute();
}
