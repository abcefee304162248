import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '../domain/errors.ts';
import type { Act, IdempotencyStore, KeptAnswer } from '../ports/idempotency-store.ts';
import type { Database, Db } from './database.ts';

const current = new AsyncLocalStorage<Act>();
/** An answer takes microseconds. A transaction that waits for ever would block all others. */
const answerWaitMs = 2_000;

export function createIdempotencyStore(database: Database): IdempotencyStore {
  /** The acts that this process runs. A row of this process without an act was left behind when the database failed. */
  const running = new Set<string>();

  return {
    async begin({ id, caller, route, keyHash, expiresAt }, now) {
      // Before the row is visible, because others then ask whether the act is running.
      running.add(id);
      const outcome = await database.write(async (trx) => {
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
        return 'begun';
      });
      if (outcome !== 'begun') running.delete(id);
      return outcome;
    },

    during: (act, work) => current.run(act, work),

    keep: (id, answer) => database.write((trx) => keepAnswer(trx, id, answer)),

    async end(id, isKept) {
      running.delete(id);
      if (isKept) return;
      await database.write((trx) => trx.deleteFrom('idempotency_keys').where('id', '=', id).execute());
    },
  };
}

/**
 * A write that creates something. Within an act it returns its result before the commit, so that the answer can be made from
 * it. Both are committed together, and nobody gets the answer before that (http/idempotency.ts). `whenCommitted` is for what
 * must not happen if the transaction fails, such as a mail.
 */
export async function createWithAnswer<Result>(
  database: Database,
  work: (db: Db) => Promise<Result>,
  whenCommitted: (result: Result) => void = () => {},
): Promise<Result> {
  const act = current.getStore();
  if (!act || act.committed) {
    const result = await database.write(work);
    whenCommitted(result);
    return result;
  }
  const early = Promise.withResolvers<Result>();
  let told: string | undefined;
  act.committed = database.write(async (trx) => {
    const result = await work(trx);
    const text = JSON.stringify([result]);
    // A transaction may run again, and its result may then differ from the answer.
    if (told !== undefined && told !== text) throw heldUp();
    told = text;
    early.resolve(result);
    const answer = await withinMoments(act.answer);
    if (answer) await keepAnswer(trx, act.id, answer);
  });
  act.committed.then(() => early.promise.then(whenCommitted), early.reject);
  return early.promise;
}

/** Whether a write that creates something must keep its answer. */
export const isWithinAct = () => current.getStore() !== undefined;

async function keepAnswer(trx: Db, id: string, answer: KeptAnswer): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('idempotency_keys')
    .set(answer)
    .where('id', '=', id)
    .executeTakeFirst();
  // Another server replaced the row because this one seemed dead, and carries out the request itself.
  if (numUpdatedRows === 0n) throw heldUp();
}

async function withinMoments<Value>(promise: Promise<Value>): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(heldUp()), answerWaitMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

const heldUp = () =>
  new AppError('service_unavailable', 'The server could not finish in time. Send the request again.', {
    retryAfterSeconds: 1,
  });
