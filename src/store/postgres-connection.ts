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
  // A restart of PostgreSQL breaks connections, and the pool replaces them. Without listeners Node would exit: the pool
  // reports idle connections, and a connection in use reports itself.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}
