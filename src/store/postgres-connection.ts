import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Db } from './database.ts';
import type { Schema } from './schema.ts';

const statementTimeoutMs = 15_000;
const connectTimeoutMs = 10_000;

// count(*) and bigint columns arrive as text by default; ours stay far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export function connectPostgres(url: string, poolSize: number): Db {
  const pool = new pg.Pool({
    connectionString: url,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    application_name: 'steno',
  });
  // A server restart breaks connections; the pool replaces them, and without a listener Node would exit. The pool hears
  // of those that rest in it, a transaction between two of its queries must hear of its own.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}
