import { serviceUnavailable } from '../../domain/errors.ts';
import type { Database, Db } from './database.ts';

/** What the first request with a key made: the id of the resource, and those fields of the answer that no later read gives. */
export interface Made {
  id: string;
  kept: object;
}

/** The row of a key whose request succeeded: the fingerprint of the request, and what it made, sealed for its caller. */
export interface CompletedKey {
  fingerprint: string;
  answer: string;
}

/** A running request that holds a key. */
export interface Claim {
  readonly id: string;
  complete(made: Made): CompletedKey;
}

/** The key of a request that asks for it. */
interface Wanted {
  id: string;
  caller: string;
  route: string;
  keyHash: string;
  expiresAt: string;
}

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

/**
 * Requests with an Idempotency-Key. The key is completed in the transaction that creates the resource
 * (docs/decisions/0062-idempotency.md).
 */
export function createIdempotencyStore(database: Database) {
  /** The requests that this process runs. A row of this process that is not among them was left behind when the database failed. */
  const running = new Set<string>();

  return {
    /** Claims the key for this request. `in flight`: the first request with it is still running. */
    async begin(
      { id, caller, route, keyHash, expiresAt }: Wanted,
      now: string,
    ): Promise<'begun' | 'in flight' | CompletedKey> {
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

    /** The request has ended. If it failed, its key is free again, unless it was completed before the failure. */
    async end(id: string, hasFailed: boolean): Promise<void> {
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
