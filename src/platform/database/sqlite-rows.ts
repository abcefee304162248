import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Migration, pendingOf, readMigrations } from './migrate.ts';
import { inOrder, type Row, type Rows, type Table, type Value } from './rows.ts';
import { busyTimeoutMs, firstColumn } from './sqlite-connection.ts';

/** The migrations that the database waits for. Raises MigrationRefused for a database of a newer version. */
export function pendingIn(database: DatabaseSync): Migration[] {
  const applied = database.prepare('select name, checksum from schema_migrations order by name').all();
  return pendingOf(
    applied.map(({ name, checksum }) => ({ name: String(name), checksum: String(checksum) })),
    readMigrations('sqlite'),
  );
}

/** Raises MigrationRefused for a database of another version. */
export function openSqliteRows(file: string): Rows & { pending: Migration[]; close(): void } {
  const database = new DatabaseSync(file, { readOnly: true, timeout: busyTimeoutMs });
  try {
    // One snapshot, also of the list of tables.
    database.exec('begin');
    return { pending: pendingIn(database), ...rowsOf(database), close: () => database.close() };
  } catch (cause) {
    database.close();
    throw cause;
  }
}

const quoted = (name: string) => `"${name}"`;
const list = (columns: readonly string[]) => columns.map(quoted).join(', ');

function rowsOf(database: DatabaseSync): Rows {
  const names = firstColumn(
    database,
    "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name <> 'schema_migrations' order by name",
  );
  const columns = database.prepare('select name from pragma_table_info(?) order by cid');
  const references = database.prepare('select distinct "table" as needs from pragma_foreign_key_list(?)');
  const tables = names.map((name) => ({
    name,
    columns: columns.all(name).map((column) => String(column.name)),
  }));
  const needed = names.flatMap((table) =>
    references
      .all(table)
      .map(({ needs }) => ({ table, needs: String(needs) }))
      .filter(({ needs }) => needs !== table),
  );
  const numbers = database.prepare('select name, seq from sqlite_sequence').all();
  return {
    tables: inOrder(tables, needed),
    numbers: new Map(numbers.map(({ name, seq }) => [String(name), Number(seq)])),
    async *read({ name, columns: wanted }) {
      const all = database.prepare(`select ${list(wanted)} from ${quoted(name)}`);
      for (const row of all.iterate()) yield Object.values(row) as Value[];
    },
  };
}

/** A new database in a file, with our migrations and these rows. `check` gets it as rows again, before it is complete. */
export async function writeSqliteRows(
  file: string,
  rows: Rows,
  { at, check }: { at: Date; check(written: Rows): Promise<void> },
): Promise<void> {
  rmSync(file, { force: true });
  using database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  // Half of it is of no use: after a crash it is written anew.
  database.exec('pragma journal_mode = off; pragma synchronous = off; begin');
  migrateNew(database, at);
  // Triggers would write changes that are among the rows already.
  const triggers = database.prepare("select name, sql from sqlite_schema where type = 'trigger'").all();
  for (const { name } of triggers) database.exec(`drop trigger ${quoted(String(name))}`);
  for (const table of rows.tables) {
    database.exec(`delete from ${quoted(table.name)}`);
    await insert(database, table, rows.read(table));
  }
  const count = database.prepare('update sqlite_sequence set seq = max(seq, ?2) where name = ?1');
  const start = database.prepare(
    'insert into sqlite_sequence (name, seq) select ?1, ?2 where not exists (select 1 from sqlite_sequence where name = ?1)',
  );
  const counted = new Set(autoincrementing(database));
  for (const [table, number] of rows.numbers)
    if (counted.has(table)) {
      start.run(table, number);
      count.run(table, number);
    }
  for (const { sql } of triggers) database.exec(String(sql));
  const [orphan] = database.prepare('pragma foreign_key_check').all();
  if (orphan) throw new Error(`rows of ${String(orphan.table)} refer to rows that are not there`);
  await check(rowsOf(database));
  database.exec('commit');
}

function migrateNew(database: DatabaseSync, at: Date): void {
  database.exec(
    'create table schema_migrations (name text primary key, checksum text not null, applied_at text not null)',
  );
  const note = database.prepare('insert into schema_migrations values (?, ?, ?)');
  for (const { name, checksum, text } of readMigrations('sqlite')) {
    database.exec(text);
    note.run(name, checksum, at.toISOString());
  }
}

async function insert(database: DatabaseSync, table: Table, rows: AsyncIterable<Row>): Promise<void> {
  const places = table.columns.map(() => '?').join(', ');
  const statement = database.prepare(
    `insert into ${quoted(table.name)} (${list(table.columns)}) values (${places})`,
  );
  for await (const row of rows) statement.run(...row);
}

/** Tables whose numbers are never used again. */
const autoincrementing = (database: DatabaseSync) =>
  firstColumn(database, "select name from sqlite_schema where type = 'table' and sql like '%autoincrement%'");
