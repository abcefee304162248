import { sql } from 'kysely';
import type { Transcription } from '../../domain/transcription.ts';
import type { Period } from '../../domain/usage.ts';
import type { Database, Db, Tx } from '../../platform/database/database.ts';
import { toRow } from '../transcriptions/queries.ts';
import { totalOf } from '../usage/queries.ts';

/**
 * A lease is the right to run one transcription on a key, with the minutes reserved for it. One that is not renewed before it
 * expires no longer counts, so that no server has to clean up after a crash.
 */
interface Taken {
  id: string;
  keyId: string;
  userId: string;
  expiresAt: string;
}

interface Quota {
  limitMs: number;
  month: Period;
}

/** Undefined if it is taken. Otherwise another transcription is running on the key, until this time unless it is renewed. */
export async function acquire(
  database: Database,
  tx: Tx,
  { id, keyId, userId, expiresAt }: Taken,
  now: string,
): Promise<string | undefined> {
  const ofUser = await tx
    .selectFrom('transcription_leases')
    .select(['id', 'key_id', 'expires_at', 'holder'])
    .where('user_id', '=', userId)
    .execute();
  for (const lease of ofUser) {
    const isAlive = lease.expires_at > now && (await database.isServing(tx, lease.holder));
    if (isAlive && lease.key_id === keyId) return lease.expires_at;
    // This also frees the minutes that it had reserved.
    if (!isAlive) await release(tx, lease.id);
  }
  const row = { id, key_id: keyId, user_id: userId, expires_at: expiresAt, holder: database.processId };
  await tx
    .insertInto('transcription_leases')
    .values({ ...row, reserved_ms: 0, reserved_at: now })
    .execute();
  return undefined;
}

/** False if the lease was lost. */
export async function renew(tx: Tx, id: string, expiresAt: string, now: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('transcription_leases')
    .set({ expires_at: expiresAt })
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** What the month still has beside its ledger and the person's other reservations; undefined if the lease was lost. */
export async function left(
  db: Db,
  id: string,
  { limitMs, month }: Quota,
  now: string,
): Promise<number | undefined> {
  const lease = await findLive(db, id, now);
  if (!lease) return undefined;
  const { audioMs } = await totalOf(db, lease.user_id, month);
  const { reservedMs } = await db
    .selectFrom('transcription_leases')
    .select(sql<number>`coalesce(sum(reserved_ms), 0)`.as('reservedMs'))
    .where('user_id', '=', lease.user_id)
    .where('id', '!=', id)
    .where('expires_at', '>', now)
    .where('reserved_at', '>=', month.from)
    .where('reserved_at', '<', month.until)
    .executeTakeFirstOrThrow();
  return Math.max(0, limitMs - audioMs - reservedMs);
}

export const reserve = (tx: Tx, id: string, audioMs: number, now: string) =>
  tx
    .updateTable('transcription_leases')
    .set({ reserved_ms: audioMs, reserved_at: now })
    .where('id', '=', id)
    .execute();

/** Writes the record and the ledger and frees the key. If the lease was lost, writes nothing and returns false. */
export async function settle(tx: Tx, id: string, record: Transcription, now: string): Promise<boolean> {
  const lease = await findLive(tx, id, now);
  if (!lease) return false;
  await tx.insertInto('transcriptions').values(toRow(record)).execute();
  await tx
    .insertInto('usage_ledger')
    .values({
      transcription_id: record.id,
      user_id: lease.user_id,
      // Counts in the month of the reservation, even if the work ends in the next month.
      counted_at: lease.reserved_at,
      words: record.word_count,
      audio_ms: lease.reserved_ms,
    })
    .execute();
  await release(tx, id);
  return true;
}

export const release = (tx: Tx, id: string) =>
  tx.deleteFrom('transcription_leases').where('id', '=', id).execute();

const findLive = (db: Db, id: string, now: string) =>
  db
    .selectFrom('transcription_leases')
    .select(['user_id', 'reserved_ms', 'reserved_at'])
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst();
