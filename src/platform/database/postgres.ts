import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompiledQuery, type IsolationLevel, sql } from 'kysely';
import pg from 'pg';
import { createSearchIndex } from '../../engines/search/search-index.ts';
import { createGather } from '../../lib/gather.ts';
import { createTurns } from '../../lib/turns.ts';
import type { Database, Db, NewNote, ReadParameter, Tx } from './database.ts';
import { createPool, kyselyOn, prepared, quickAnswerTimeoutMs, unlimited } from './postgres-connection.ts';
import { insertNotes } from './postgres-notes.ts';
import { listenerName, listenerPrefix, watchPrincipals } from './postgres-principals.ts';
import { createGatheredReads } from './postgres-reads.ts';
import { trackPrincipals } from './principals.ts';
import { DatabaseUnusable, explainPostgres, unavailable } from './unusable.ts';

const maxAttempts = 30;
const maxNotesPerStatement = 128;
const quickConnections = 3;
const migrationLock = 7_366_310; // any number; every replica asks for the same advisory lock

/** The database for several replicas: all they must agree on lives in the database. */
export async function openPostgres(url: string, poolSize: number, listenUrl = ''): Promise<Database> {
  const processId = randomUUID();
  // Reads and counts are short and have connections of their own, so that they do not wait for long writes.
  const quickPool = createPool(url, Math.min(quickConnections, poolSize));
  const quick = kyselyOn(quickPool, quickAnswerTimeoutMs);
  const pool = createPool(url, Math.max(1, poolSize - quickConnections));
  const db = kyselyOn(pool);
  const read = createGatheredReads(quickPool);
  const closePools = async () => {
    await Promise.all([db.destroy(), quick.destroy()]);
    // Kysely ends a pool only if it has used it itself.
    for (const one of [pool, quickPool]) if (!one.ending) await one.end();
  };
  const principals = await watchPrincipals(listenUrl || url, listenerName(processId)).catch(
    async (cause: unknown) => {
      await closePools();
      throw explainPostgres(cause, url);
    },
  );

  try {
    await requireNamedStatements(pool, quickPool);
    if (!(await principals.isHearing(quick))) throw deaf();
  } catch (cause) {
    await principals.close();
    await closePools();
    throw explainPostgres(cause, url);
  }

  const inTurn = createTurns();
  const search = createSearchIndex(db, { kind: 'postgres', url });

  async function transact<Result>(isolation: IsolationLevel, work: (tx: Tx) => Promise<Result>) {
    const announcement = principals.announcement();
    try {
      const { value, principalsChanged } = await retryOvertaken(() =>
        db
          .transaction()
          .setIsolationLevel(isolation)
          .execute(async (trx) => {
            const tracked = trackPrincipals(trx);
            const value = await work(tracked.tx);
            if (tracked.changed()) await announcement.make(trx);
            return { value, principalsChanged: tracked.changed() };
          }),
      );
      if (principalsChanged) await announcement.heardByAll(quick);
      return value;
    } finally {
      announcement.end();
    }
  }

  async function insertIndexed(trx: Db, notes: readonly NewNote[]) {
    const outcomes = await insertNotes(trx, notes);
    for (const [index, { row, text }] of notes.entries())
      if (text && outcomes[index] === 'ok') search.added(row.owner_id, text);
    return outcomes;
  }

  async function insertNote(trx: Db, note: NewNote) {
    const [outcome = 'ok'] = await insertIndexed(trx, [note]);
    return outcome;
  }

  const createNotes = createGather((notes: NewNote[]) => retryOvertaken(() => insertIndexed(db, notes)), {
    maxBatch: maxNotesPerStatement,
    maxRunning: 2,
    // After a lost connection it is unknown whether the notes were stored.
    mayRunAlone: (cause) => unavailable(cause) === undefined,
  });

  return {
    name: 'postgres',
    singleProcess: false,
    processId,
    async isServing(trx, other) {
      const { rows } = await sql`select 1 from pg_stat_activity
        where datname = current_database() and application_name = ${listenerName(other)}`.execute(trx);
      return rows.length > 0;
    },
    async hasOthers() {
      const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database()
        and starts_with(application_name, ${listenerPrefix}) and application_name <> ${listenerName(processId)}`.execute(
        db,
      );
      return rows.length > 0;
    },
    db,
    quick,
    // The row type is the one of the query's author.
    read: <Row>(text: string, parameters: readonly ReadParameter[]) =>
      read(text, parameters) as Promise<Row[]>,
    write: (work) => transact('serializable', work),
    writeLocked(work, rowId) {
      const run = () => transact('read committed', work);
      return rowId === undefined ? run() : inTurn(rowId, run);
    },
    async holdAccount(trx, userId) {
      const user = trx.selectFrom('users').select('id').where('id', '=', userId).forKeyShare();
      return (await user.executeTakeFirst()) !== undefined;
    },
    locking: (query) => query.forUpdate(),
    insertNote,
    insertNotes: insertIndexed,
    createNote: (note, also) =>
      also
        ? transact('read committed', async (trx) => {
            const outcome = await insertNote(trx, note);
            if (outcome === 'ok') await also(trx, note.row.id);
            return outcome;
          })
        : createNotes(note),
    principalsEpoch: principals.epoch,
    async migrate(work) {
      const unhurried = kyselyOn(pool, unlimited);
      const migration = unhurried.transaction().execute(async (trx) => {
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
    changesHorizon: sql<number>`pg_snapshot_xmin(pg_current_snapshot())::text::bigint`,
    changesEnd: {
      tx: sql<number>`pg_snapshot_xmin(pg_current_snapshot())::text::bigint - 1`,
      seq: sql<number>`${sql.lit(Number.MAX_SAFE_INTEGER)}::bigint`,
    },
    changesBehind: ({ tx, seq }) => sql`(changes.tx, changes.seq) > (${tx}, ${seq})`,
    nextTransaction: sql<number>`pg_snapshot_xmax(pg_current_snapshot())::text::bigint`,
    search,
    pools: () =>
      Object.entries({ main: pool, quick: quickPool }).map(
        ([name, { totalCount, idleCount, waitingCount }]) => ({
          pool: name,
          busy: totalCount - idleCount,
          idle: idleCount,
          waiting: waitingCount,
        }),
      ),
    checkup: {
      // PostgreSQL checks its pages itself when it reads them, so there is no damage for us to look for.
      findDamage: async () => [],
      async now() {
        const { rows } = await sql<{ now: number }>`
          select extract(epoch from clock_timestamp()) * 1000 as now`.execute(db);
        return rows[0]?.now ?? Number.NaN;
      },
      async bytes() {
        const { rows } = await sql<{ bytes: number }>`
          select pg_database_size(current_database()) as bytes`.execute(db);
        return rows[0]?.bytes ?? Number.NaN;
      },
    },
    async close() {
      await search.close();
      await principals.close();
      await closePools();
    },
  };
}

/**
 * Two connections give the same name to two statements. A pooler that keeps no names lends both the same connection of
 * PostgreSQL, one after the other, and the second name is taken. Found here, or by whichever call comes second.
 */
async function requireNamedStatements(...pools: readonly pg.Pool[]): Promise<void> {
  const clients: pg.PoolClient[] = [];
  try {
    for (const pool of pools) clients.push(await pool.connect());
    for (const [index, client] of clients.entries())
      await client.query(
        prepared(`select ${index} where $1 = ''`, [''], quickAnswerTimeoutMs, 'steno_probe'),
      );
  } finally {
    for (const client of clients) client.release();
  }
}

const deaf = () =>
  new DatabaseUnusable(
    'The connection that listens to PostgreSQL hears nothing, as behind PgBouncer in transaction mode: set STENO_DATABASE_LISTEN_URL to PostgreSQL itself (docs/scaling.md, "PgBouncer").',
  );

// Serialization failure, deadlock, a unique index that met a row which our snapshot did not show yet, and a foreign key to a row
// which our snapshot still showed. The work runs again, and its own check then finds that row, or finds it gone.
const retryable = new Set(['40001', '40P01', '23505', '23503']);

async function retryOvertaken<Result>(work: () => Promise<Result>): Promise<Result> {
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
