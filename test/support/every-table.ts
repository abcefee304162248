import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

const quoted = (name: string) => `"${name}"`;

/** Puts a row into each table of a SQLite database that has none, with values of the kinds that its columns hold. */
export function fillEmptyTables(file: string): void {
  const database = new DatabaseSync(file);
  try {
    const tables = database
      .prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'")
      .all()
      .map(({ name }) => String(name));
    const count = (name: string) =>
      Number(database.prepare(`select count(*) as count from ${quoted(name)}`).get()?.count);
    // A table may need a row of another that is empty too.
    for (let left = tables.filter((name) => count(name) === 0), before = -1; left.length !== before; ) {
      before = left.length;
      left = left.filter((name) => !addRow(database, name));
    }
    const empty = tables.filter((name) => count(name) === 0);
    if (empty.length > 0) throw new Error(`still empty: ${empty.join(', ')}`);
  } finally {
    database.close();
  }
}

function addRow(database: DatabaseSync, table: string): boolean {
  const columns = database.prepare('select name, type from pragma_table_info(?)').all(table);
  const references = database
    .prepare('select "from", "table", "to" from pragma_foreign_key_list(?)')
    .all(table);
  const values = columns.map(({ name, type }): SQLInputValue | undefined => {
    const parent = references.find((reference) => reference.from === name);
    if (!parent) return allowed(database, table, String(name)) ?? valueFor(String(type));
    const to = quoted(String(parent.to ?? name));
    return database.prepare(`select ${to} as value from ${quoted(String(parent.table))} limit 1`).get()
      ?.value;
  });
  if (values.includes(undefined)) return false;
  const names = columns.map(({ name }) => quoted(String(name))).join(', ');
  const places = columns.map(() => '?').join(', ');
  database
    .prepare(`insert into ${quoted(table)} (${names}) values (${places})`)
    .run(...(values as SQLInputValue[]));
  return true;
}

/** The first value that `check (role in ('admin', 'member'))` allows. */
function allowed(database: DatabaseSync, table: string, column: string): string | undefined {
  const made = database.prepare("select sql from sqlite_schema where type = 'table' and name = ?").get(table);
  return new RegExp(`check \\(${column} in \\('(\\w+)'`).exec(String(made?.sql))?.[1];
}

function valueFor(type: string): SQLInputValue {
  if (/int/i.test(type)) return 1;
  if (/real|double/i.test(type)) return 0.25;
  if (/blob/i.test(type)) return new Uint8Array([0, 92, 10, 255]);
  return 'odd\t\\N\n\\.\r"ü"';
}
