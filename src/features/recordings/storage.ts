import { sql } from 'kysely';
import { mustFit, type StorageLimits, type StorageUse } from '../../domain/storage.ts';
import type { CommandContext } from '../../kernel/context.ts';
import type { Database, Db, Tx } from '../../platform/database/database.ts';
import { accountDeleted } from '../../platform/database/owners.ts';

/** What a query needs that checks who has an account, or which server works on a row. */
export type Within = Pick<CommandContext<unknown>, 'database' | 'tx'>;

/** How much audio a person has. What was announced or promised counts before it arrives, so two uploads at once cannot take the same room. */
export async function storageUse(db: Db, userId: string): Promise<StorageUse> {
  type Sum = number | null;
  const { bytes, uploads, reserved } = await db
    .selectFrom('recordings')
    .select([
      sql<Sum>`sum(case when state = 'uploading' and upload_length > bytes then upload_length else bytes end)`.as(
        'bytes',
      ),
      sql<Sum>`sum(case when state = 'uploading' then 1 else 0 end)`.as('uploads'),
      sql<Sum>`(select sum(bytes) from storage_reservations where user_id = ${userId})`.as('reserved'),
    ])
    .where('user_id', '=', userId)
    .where('has_audio', '=', 1)
    .where('is_sample', '=', 0)
    .executeTakeFirstOrThrow();
  return { bytes: (bytes ?? 0) + (reserved ?? 0), openUploads: uploads ?? 0 };
}

/**
 * Promises room for audio that comes later. The promise ends with `free`, or with this server. Raises `plan_required` if these
 * limits leave no room.
 */
export async function reserve(
  { database, tx }: Within,
  { id, userId, bytes, limits }: { id: string; userId: string; bytes: number; limits: StorageLimits },
): Promise<void> {
  if (!(await database.holdAccount(tx, userId))) throw accountDeleted();
  mustFit(limits, await storageUse(tx, userId), bytes);
  const holder = database.processId;
  await tx.insertInto('storage_reservations').values({ id, user_id: userId, bytes, holder }).execute();
}

/** In the write that stores the recording, so that its bytes count once. */
export const takeReserved = (tx: Tx, reservation: string, bytes: number) =>
  tx
    .updateTable('storage_reservations')
    .set({ bytes: sql`case when bytes > ${bytes} then bytes - ${bytes} else 0 end` })
    .where('id', '=', reservation)
    .execute();

export const free = ({ database, tx }: Within, id: string) =>
  tx
    .deleteFrom('storage_reservations')
    .where('id', '=', id)
    .where('holder', '=', database.processId)
    .execute();

/** The promises that this server made. */
export const reserved = ({ db, processId }: Database) =>
  db.selectFrom('storage_reservations').select('id').where('holder', '=', processId).execute();
