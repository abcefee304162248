import { serviceUnavailable } from '../../domain/errors.ts';
import type { Database, Db } from './database.ts';
import type { Claim, IdempotencyStore, Made } from './ports/idempotency-store.ts';

export function createIdempotencyStore(database: Database): IdempotencyStore {
  /** The requests that this process runs. A row of this process that is not among them was left behind when the database failed. */
  const running = new Set<string>();

  return {
    async begin({ id, caller, route, keyHash, expiresAt }, now) {
      // Before the row is visible, because others then ask whether its request is running.
      running.add(id);
      const outcome = await database
        .write(async (trx) => {
          await trx.deleteFrom('idempotency_keys').where('expires_at', '<=', now).execute();
          const known = await trx
            .selectFrom('idempotency_keys')
            .select(['id', 'holder', 'fingerprint', 'answer'])
            .where('caller', '=', caller)
            .where('route', '=', route)
            .where('key_hash', '=', keyHash)
            .executeTakeFirst();
          if (known && known.fingerprint !== null && known.answer !== null)
            return { fingerprint: known.fingerprint, answer: known.answer };
          if (known) {
            const isRunning =
              known.holder === database.processId
                ? running.has(known.id)
                : await database.isServing(trx, known.holder);
            if (isRunning) return 'in flight';
            await trx.deleteFrom('idempotency_keys').where('id', '=', known.id).execute();
          }
          await trx
            .insertInto('idempotency_keys')
            .values({
              id,
              caller,
              route,
              key_hash: keyHash,
              holder: database.processId,
              expires_at: expiresAt,
            })
            .execute();
          return 'begun' as const;
        })
        .catch((cause: unknown) => {
          // The row may be stored all the same: the answer got lost. Its request does not run.
          running.delete(id);
          throw cause;
        });
      if (outcome !== 'begun') running.delete(id);
      return outcome;
    },

    async end(id, hasFailed) {
      running.delete(id);
      if (!hasFailed) return;
      await database.write((trx) =>
        trx.deleteFrom('idempotency_keys').where('id', '=', id).where('answer', 'is', null).execute(),
      );
    },
  };
}

/** Called in the transaction that makes what the request asks for. */
export async function completeKey(trx: Db, claim: Claim, made: Made): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('idempotency_keys')
    .set(claim.complete(made))
    .where('id', '=', claim.id)
    .where('answer', 'is', null)
    .executeTakeFirst();
  // Another server replaced the row because this one seemed dead, and carries out the request itself.
  if (numUpdatedRows === 0n)
    throw serviceUnavailable('The server could not finish in time. Send the request again.', {
      retryAfterSeconds: 1,
    });
}
