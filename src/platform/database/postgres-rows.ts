import pg from 'pg';
import type { Row, Rows, Table, Value } from './rows.ts';

const ident = pg.escapeIdentifier;
const rowsPerFetch = 500;

/** Of a database that is being read in one transaction. */
export async function postgresRows(client: pg.Client, tables: readonly Table[]): Promise<Rows> {
  const numbers = new Map<string, number>();
  for (const { table, sequence } of await identities(client)) {
    const { rows } = await client.query(`select last_value, is_called from ${sequence}`);
    if (rows[0]?.is_called) numbers.set(table, rows[0].last_value);
  }
  return {
    tables: tables.filter(({ name }) => name !== 'schema_migrations'),
    numbers,
    async *read({ name, columns }) {
      const all = `select ${columns.map(ident).join(', ')} from ${ident(name)}`;
      await client.query(`declare every_row no scroll cursor for ${all}`);
      for (;;) {
        const { rows } = await client.query<Value[]>({
          text: `fetch ${rowsPerFetch} from every_row`,
          rowMode: 'array',
        });
        yield* rows;
        if (rows.length === 0) break;
      }
      await client.query('close every_row');
    },
  };
}

/** The next number of each table is above all that were given out. */
export async function setNumbers(client: pg.Client, numbers: Rows['numbers']): Promise<void> {
  for (const { table, column, sequence } of await identities(client)) {
    const { rows } = await client.query(`select max(${ident(column)}) as last from ${ident(table)}`);
    const last = Math.max(rows[0]?.last ?? 0, numbers.get(table) ?? 0);
    if (last > 0) await client.query('select setval($1::regclass, $2::bigint)', [sequence, last]);
  }
}

async function identities(client: pg.Client) {
  const { rows } = await client.query<{ table: string; column: string; sequence: string }>(
    `select c.relname as table, a.attname as column, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attidentity <> ''`,
  );
  return rows;
}

/** A line of `copy … from stdin`. */
export const copyLine = (row: Row) => Buffer.from(`${row.map(copyValue).join('\t')}\n`);

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function copyValue(value: Value): string {
  if (value === null) return '\\N';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return value.replace(/[\\\t\n\r]/g, (found) => escapes[found] ?? found);
  return `\\\\x${Buffer.from(value).toString('hex')}`;
}
