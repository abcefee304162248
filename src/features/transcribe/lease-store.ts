import { sql } from 'kysely';
import type { Period } from '../../domain/usage.ts';
import type { Database, Db } from '../../platform/database/database.ts';
import { keyCompletion } from '../../platform/database/idempotency.ts';
import type { LeaseStore } from '../../platform/database/ports/transcription-store.ts';
import { toRow } from '../transcriptions/queries.ts';
import { totalOf } from '../usage/queries.ts';

export function createLeaseStore(database: Database): LeaseStore {
  return {
    acquire({ id, keyId, userId, expiresAt }, now) {
      return database.write(async (trx) => {
        const ofUser = await trx
          .selectFrom('transcription_leases')
          .select(['id', 'key_id', 'expires_at', 'holder'])
          .where('user_id', '=', userId)
          .execute();
        for (const lease of ofUser) {
          const isAlive = lease.expires_at > now && (await database.isServing(trx, lease.holder));
          if (isAlive && lease.key_id === keyId) return { runningUntil: lease.expires_at };
          // This also frees the minutes that it had reserved.
          if (!isAlive) await trx.deleteFrom('transcription_leases').where('id', '=', lease.id).execute();
        }
        await trx
          .insertInto('transcription_leases')
          .values({
            id,
            key_id: keyId,
            user_id: userId,
            reserved_ms: 0,
            reserved_at: now,
            expires_at: expiresAt,
            holder: database.processId,
          })
          .execute();
        return 'taken';
      });
    },

    renew(id, expiresAt, now) {
      return database.write(async (trx) => {
        const result = await trx
          .updateTable('transcription_leases')
          .set({ expires_at: expiresAt })
          .where('id', '=', id)
          .where('expires_at', '>', now)
          .executeTakeFirst();
        return result.numUpdatedRows > 0n;
      });
    },

    async left(id, quota, now) {
      const lease = await findLive(database.db, id, now);
      return lease ? leftOf(database.db, lease.user_id, id, quota, now) : 0;
    },

    reserve(id, { audioMs, ...quota }, now) {
      return database.write(async (trx) => {
        const lease = await findLive(trx, id, now);
        if (!lease) return { outcome: 'lost' };
        const leftMs = await leftOf(trx, lease.user_id, id, quota, now);
        if (audioMs > leftMs) return { outcome: 'quota exceeded', leftMs };
        await trx
          .updateTable('transcription_leases')
          .set({ reserved_ms: audioMs, reserved_at: now })
          .where('id', '=', id)
          .execute();
        return { outcome: 'ok' };
      });
    },

    settle(id, record, now) {
      const completeKey = keyCompletion();
      return database.write(async (trx) => {
        const lease = await findLive(trx, id, now);
        if (!lease) return false;
        await trx.insertInto('transcriptions').values(toRow(record)).execute();
        await trx
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
        await trx.deleteFrom('transcription_leases').where('id', '=', id).execute();
        await completeKey?.(trx, record.id, record);
        return true;
      });
    },

    release(id) {
      return database.write(async (trx) => {
        await trx.deleteFrom('transcription_leases').where('id', '=', id).execute();
      });
    },
  };
}

async function leftOf(
  db: Db,
  userId: string,
  leaseId: string,
  { limitMs, month }: { limitMs: number; month: Period },
  now: string,
): Promise<number> {
  const { audioMs: usedMs } = await totalOf(db, userId, month);
  const { reservedMs } = await db
    .selectFrom('transcription_leases')
    .select(sql<number>`coalesce(sum(reserved_ms), 0)`.as('reservedMs'))
    .where('user_id', '=', userId)
    .where('id', '!=', leaseId)
    .where('expires_at', '>', now)
    .where('reserved_at', '>=', month.from)
    .where('reserved_at', '<', month.until)
    .executeTakeFirstOrThrow();
  return Math.max(0, limitMs - usedMs - reservedMs);
}

const findLive = (trx: Db, id: string, now: string) =>
  trx
    .selectFrom('transcription_leases')
    .select(['user_id', 'reserved_ms', 'reserved_at'])
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst();
