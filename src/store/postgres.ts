import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { SqlEngine } from './engine.ts';
import { createPostgresCheckup } from './postgres-checkup.ts';
import { createPostgresSearch } from './postgres-search.ts';
import type { Schema } from './schema.ts';
import { explainPostgres } from './unusable.ts';

const statementTimeoutMs = 15_000;
const connectTimeoutMs = 10_000;
const reconnectMs = 1_000;
const maxAttempts = 30;
const migrationLock = 7_366_310; // any number; every replica asks for the same advisory lock
const principalsChannel = 'steno_principals';
/** Every server holds one connection of this name for as long as it runs. */
export const listenerName = 'steno-listen';

// count(*) and bigint columns arrive as text by default; ours stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

/** The engine for several replicas: all they must agree on lives in the database. */
export async function openPostgres(url: string, poolSize: number): Promise<SqlEngine> {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    application_name: 'steno',
  });
  // A server restart breaks idle connections; the pool replaces them, and without a listener Node would exit.
  pool.on('error', () => {});
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  const principals = await watchPrincipals(url).catch(async (cause: unknown) => {
    await db.destroy();
    throw explainPostgres(cause, url);
  });

  return {
    name: 'postgres',
    singleProcess: false,
    db,
    async read(query) {
      return (await db.executeQuery(query)).rows;
    },
    async write(work, options = {}) {
      const result = await retrySerialization(() =>
        db
          .transaction()
          .setIsolationLevel('serializable')
          .execute(async (trx) => {
            const value = await work(trx);
            // Sent at commit, to every replica.
            if (options.changesPrincipals) await trx.executeQuery(notify);
            return value;
          }),
      );
      if (options.changesPrincipals) principals.bump();
      return result;
    },
    principalsEpoch: principals.epoch,
    async migrate(work) {
      const migration = db.transaction().execute(async (trx) => {
        // A replica may wait here while another one migrates for longer than a statement may take.
        await trx.executeQuery(CompiledQuery.raw('set local statement_timeout = 0'));
        await trx.executeQuery(CompiledQuery.raw(`select pg_advisory_xact_lock(${migrationLock})`));
        return work(trx, async (sql) => {
          await trx.executeQuery(CompiledQuery.raw(sql));
        });
      });
      return migration.catch((cause: unknown) => {
        throw explainPostgres(cause, url);
      });
    },
    search: createPostgresSearch(db),
    checkup: createPostgresCheckup(db),
    async close() {
      await principals.close();
      await db.destroy();
    },
  };
}

const notify = CompiledQuery.raw(`notify ${principalsChannel}`);
const retryable = new Set(['40001', '40P01']); // serialization failure, deadlock

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

/**
 * Listens for changed keys, plans and accounts. While the connection is down every call sees a new epoch, so nothing
 * is taken from a cache that might have missed a revocation.
 */
async function watchPrincipals(url: string) {
  let epoch = 0;
  let listening = false;
  let closed = false;
  let client: pg.Client | undefined;

  async function listen(): Promise<void> {
    client = new pg.Client({
      connectionString: url,
      application_name: listenerName,
      keepAlive: true,
      connectionTimeoutMillis: connectTimeoutMs,
    });
    client.on('notification', () => {
      epoch += 1;
    });
    client.on('error', () => client?.end().catch(() => {}));
    client.on('end', () => {
      listening = false;
      if (!closed) setTimeout(() => listen().catch(() => {}), reconnectMs).unref();
    });
    await client.connect();
    await client.query(`listen ${principalsChannel}`);
    epoch += 1;
    listening = true;
  }

  await listen();
  return {
    epoch() {
      if (!listening) epoch += 1;
      return epoch;
    },
    bump() {
      epoch += 1;
    },
    async close() {
      closed = true;
      await client?.end();
    },
  };
}
