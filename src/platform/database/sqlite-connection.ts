import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { Kysely, type LimitNode, type SqliteDatabase, SqliteDialect, SqliteQueryCompiler } from 'kysely';
import type { Db, Schema } from './schema.ts';

export const busyTimeoutMs = 10_000;
const maxCachedStatements = 500;

/**
 * `cacheMegabytes` limits the connection's cache. The file is not mapped into memory: that made only the first read of a page
 * faster, by 1 µs, and each connection seemed to hold as much of the file as it had read (docs/decisions/0141).
 */
export function connect(file: string, cacheMegabytes = 16): DatabaseSync {
  const connection = new DatabaseSync(file, { timeout: busyTimeoutMs, enableForeignKeyConstraints: true });
  connection.exec('pragma journal_mode = wal; pragma synchronous = full');
  // What is deleted is overwritten with zeros: a purged note is gone from the file (docs/decisions/0090).
  connection.exec('pragma secure_delete = on');
  connection.exec(`pragma cache_size = -${1024 * cacheMegabytes}; pragma temp_store = memory`);
  return connection;
}

/** The first column of what a statement finds, as texts. */
export const firstColumn = (connection: DatabaseSync, sql: string): string[] =>
  connection
    .prepare(sql)
    .all()
    .map((row) => String(Object.values(row)[0]));

export const kyselyOn = (connection: DatabaseSync): Db =>
  new Kysely<Schema>({ dialect: new Dialect({ database: asKyselyDatabase(connection) }) });

class Dialect extends SqliteDialect {
  override createQueryCompiler(): QueryCompiler {
    return new QueryCompiler();
  }
}

/**
 * SQLite plans by the value of a bare `limit ?`, so it parses the statement anew each time that it gets one: 13.4 µs for a read
 * of one row that takes 3.7 with `limit ? + 0` (SQLite 3.53.4, processor time).
 */
class QueryCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    super.visitLimit(node);
    this.append(' + 0');
  }
}

/** Kysely compiles to text; the statement behind each text is prepared once and kept. */
function asKyselyDatabase(connection: DatabaseSync): SqliteDatabase {
  const prepared = new Map<string, ReturnType<typeof asKyselyStatement>>();
  return {
    close: () => connection.close(),
    prepare(sql) {
      const known = prepared.get(sql);
      if (known) return known;
      if (prepared.size >= maxCachedStatements) prepared.clear();
      const statement = asKyselyStatement(connection.prepare(sql));
      prepared.set(sql, statement);
      return statement;
    },
  };
}

function asKyselyStatement(statement: StatementSync) {
  // Kysely types parameters as unknown; the schema's types are all values that SQLite takes.
  const values = (parameters: readonly unknown[]) => parameters as SQLInputValue[];
  return {
    reader: statement.columns().length > 0,
    all: (parameters: readonly unknown[]) => statement.all(...values(parameters)),
    run: (parameters: readonly unknown[]) => statement.run(...values(parameters)),
    iterate: (parameters: readonly unknown[]) => statement.iterate(...values(parameters)),
  };
}

/**
 * The connections of a search thread. What it writes can be made again from the notes, so it does not wait for the disk.
 * In WAL mode the next commit of the server puts it there, and no commit can be there without the ones before it.
 */
export function openSqliteThread(file: string): { reader: Db; writer: Db } {
  const writer = connect(file, 8);
  writer.exec('pragma synchronous = normal');
  return { reader: kyselyOn(connect(file, 32)), writer: kyselyOn(writer) };
}
