import { Socket } from 'node:net';
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import pg from 'pg';
import type { Db, Schema } from './schema.ts';

const statementTimeoutMs = 15_000;
// A network that drops packets does not close connections, so silence for this long counts as lost.
const answerTimeoutMs = 20_000;
/** For statements that take a moment. */
export const quickAnswerTimeoutMs = 5_000;
/** For migrations. */
export const unlimited = 0;
const dialTimeoutMs = 10_000;
// For shared connections. A busy server answers late, but it answers: a thousand clients at once waited up to 12 s.
const lineTimeoutMs = 30_000;
const maxNames = 500;
/** Closing a connection takes a moment. */
const endTimeoutMs = 1_000;

// Counts and bigint columns, and sums of them, arrive as text by default; ours stay far below 2^53.
for (const type of [pg.types.builtins.INT8, pg.types.builtins.NUMERIC]) pg.types.setTypeParser(type, Number);

/** Connections that end even if the other side disappeared silently: pg itself would wait for ever. */
export function mortalConnections() {
  const sockets = new Set<Socket>();
  return {
    /** For the settings of a client or pool. */
    stream(): Socket {
      const socket = new Socket();
      sockets.add(socket);
      // The pool counts waiting for a connection and opening one as one time.
      const dialling = setTimeout(() => {
        if (socket.bytesRead === 0) socket.destroy(noAnswer());
      }, dialTimeoutMs).unref();
      return socket.once('close', () => {
        clearTimeout(dialling);
        sockets.delete(socket);
      });
    },
    async end(end: () => Promise<void>): Promise<void> {
      const cut = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, endTimeoutMs);
      try {
        await end();
        // A pool that has ended may still have connections that are closing.
        await Promise.all(
          [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
        );
      } finally {
        clearTimeout(cut);
      }
    },
  };
}

const noAnswer = () => Object.assign(new Error('PostgreSQL does not answer'), { code: 'ETIMEDOUT' });

export function createPool(url: string, poolSize: number): pg.Pool {
  const connections = mortalConnections();
  const pool = new pg.Pool({
    connectionString: url,
    stream: connections.stream,
    max: poolSize,
    connectionTimeoutMillis: lineTimeoutMs,
    statement_timeout: statementTimeoutMs,
    application_name: 'steno',
    // A prepared statement is planned once, not for its values each time: storing one note took PostgreSQL 1.05 ms of
    // processor time, and takes 0.55. Our queries have one good plan each, whatever the values.
    onConnect: async (client) => {
      await client.query(limited("set plan_cache_mode = 'force_generic_plan'", answerTimeoutMs));
    },
  });
  // A restart of PostgreSQL breaks connections, and the pool replaces them. Without listeners Node would exit: the pool
  // reports idle connections, and a connection in use reports itself.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const end = pool.end.bind(pool);
  return Object.assign(pool, { end: () => connections.end(end) });
}

/** With connections of its own. */
export const connectPostgres = (url: string, poolSize: number): Db => kyselyOn(createPool(url, poolSize));

/** With `unlimited`, statements may take as long as they need. */
export function kyselyOn(pool: pg.Pool, timeoutMs = answerTimeoutMs): Db {
  const preparing = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  const connect = async () => {
    const client = await pool.connect();
    const known = preparing.get(client) ?? preparingClient(client, timeoutMs);
    preparing.set(client, known);
    return known;
  };
  const dialect = new PostgresDialect({ pool: { connect, end: () => pool.end(), options: pool.options } });
  return new Kysely<Schema>({ dialect });
}

/**
 * After a silence it is unknown what the other side is doing, with a `commit` not even whether it is stored. So nothing more is
 * sent, not even a `rollback`, and the connection is closed.
 */
function preparingClient(client: pg.PoolClient, timeoutMs: number): PostgresPoolClient {
  let silence: Error | undefined;
  const query = async (text: string, values: readonly unknown[]) => {
    if (silence) throw silence;
    try {
      return await client.query(
        values.length === 0 ? limited(text, timeoutMs) : prepared(text, values, timeoutMs),
      );
    } catch (cause) {
      if (cause instanceof Error && cause.message === 'Query read timeout') silence = cause;
      throw cause;
    }
  };
  const release = (destroy?: boolean) => client.release(destroy || silence !== undefined);
  // The interface of Kysely has two forms of `query`; without a cursor it uses this one.
  return { query, release } as unknown as PostgresPoolClient;
}

/** Also for `begin` and `commit`: `statement_timeout` is PostgreSQL's own, and one that hangs does not look at its clock. */
const limited = (text: string, timeoutMs: number) => ({ text, query_timeout: timeoutMs });

const names = new Map<string, string>();

/** PostgreSQL parses and plans a statement once for each connection, by its name. */
export const prepared = (
  text: string,
  values: readonly unknown[],
  timeoutMs: number,
  name = nameOf(text),
) => ({
  ...limited(text, timeoutMs),
  name,
  values: [...values],
});

/** Undefined, so that nothing is kept, once a program has made very many texts: lists of values of every length. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= maxNames) return known;
  const name = `steno_${names.size + 1}`;
  names.set(text, name);
  return name;
}
