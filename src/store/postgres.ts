import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import type { Database } from './database.ts';
import { createPostgresCheckup } from './postgres-checkup.ts';
import { connectPostgres } from './postgres-connection.ts';
import { listenerName, notifyPrincipals, watchPrincipals } from './postgres-principals.ts';
import { trackPrincipals } from './principals.ts';
import { createSearchIndex } from './search/search-index.ts';
import { explainPostgres } from './unusable.ts';

const maxAttempts = 30;
const migrationLock = 7_366_310; // any number; every replica asks for the same advisory lock

/** The database for several replicas: all they must agree on lives in the database. */
export async function openPostgres(url: string, poolSize: number): Promise<Database> {
  const processId = randomUUID();
  const db = connectPostgres(url, poolSize);
  const principals = await watchPrincipals(url, listenerName(processId)).catch(async (cause: unknown) => {
    await db.destroy();
    throw explainPostgres(cause, url);
  });

  const search = createSearchIndex(db, { kind: 'postgres', url });

  return {
    name: 'postgres',
    singleProcess: false,
    processId,
    async isServing(trx, other) {
      const { rows } = await sql`select 1 from pg_stat_activity
        where datname = current_database() and application_name = ${listenerName(other)}`.execute(trx);
      return rows.length > 0;
    },
    db,
    async read<Row>(text: string, parameters: readonly string[]) {
      return (await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))).rows;
    },
    async write(work) {
      const { value, principalsChanged } = await retrySerialization(() =>
        db
          .transaction()
          .setIsolationLevel('serializable')
          .execute(async (trx) => {
            const tracked = trackPrincipals(trx);
            const value = await work(tracked.db);
            // Sent at commit, to every replica.
            if (tracked.changed()) await trx.executeQuery(notify);
            return { value, principalsChanged: tracked.changed() };
          }),
      );
      if (principalsChanged) principals.bump();
      return value;
    },
    async insertNote(trx, note) {
      const { seq } = await trx.insertInto('notes').values(note).returning('seq').executeTakeFirstOrThrow();
      return seq;
    },
    principalsEpoch: principals.epoch,
    async migrate(work) {
      const migration = db.transaction().execute(async (trx) => {
        // A replica may wait here while another one migrates for longer than a statement may take.
        await trx.executeQuery(CompiledQuery.raw('set local statement_timeout = 0'));
        await trx.executeQuery(CompiledQuery.raw(`select pg_advisory_xact_lock(${migrationLock})`));
        return work(trx, async (text) => {
          await trx.executeQuery(CompiledQuery.raw(text));
        });
      });
      return migration.catch((cause: unknown) => {
        throw explainPostgres(cause, url);
      });
    },
    search,
    checkup: createPostgresCheckup(db),
    async close() {
      await search.close();
      await principals.close();
      await db.destroy();
    },
  };
}

const notify = CompiledQuery.raw(notifyPrincipals);
// Serialization failure, deadlock, and a unique index that met a row which our snapshot did not show yet. The work runs
// again, and its own check then finds that row.
const retryable = new Set(['40001', '40P01', '23505']);

async function retrySerialization<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (cause) {
      const code = cause instanceof pg.DatabaseError ? cause.code : undefined;
      if (code === undefined || !retryable.has(code) || attempt === maxAttempts) throw cause;
      await sleep(Math.random() * 5 * attempt);
    }
  }
}
