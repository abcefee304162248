import pg from 'pg';
import { type AppError, conflict, invalid } from '../../domain/errors.ts';
import type { Backups } from './backup-file.ts';
import { type Migration, noDatabase, pendingOf, readMigrations } from './migrate.ts';
import {
  endOfTable,
  type Header,
  header,
  linesOf,
  readHeader,
  rowsOf,
  writeTables,
} from './postgres-backup-file.ts';
import { copyIn } from './postgres-copy.ts';
import { listenerPrefix } from './postgres-principals.ts';
import { copyLine, postgresRows, setNumbers } from './postgres-rows.ts';
import { checked, inOrder, type Rows, requireCurrent, type TableDigest } from './rows.ts';
import { explainPostgres } from './unusable.ts';

const asidePrefix = 'before_restore_';
/** Through SQL alone: needs no program of PostgreSQL, and the versions of two servers need not match. */
export function postgresBackups(databaseUrl: string): Backups {
  return {
    kind: 'postgres',

    copyTo(file) {
      return connected(databaseUrl, async (client) => {
        await beginReading(client);
        const found = await describeTables(client);
        await writeTables(client, file, found);
        const { rows } = await client.query(
          'select id, bytes::float8 as bytes from recordings where has_audio = 1',
        );
        await client.query('commit');
        return rows.map(({ id, bytes }) => ({ id: String(id), bytes: Number(bytes) }));
      });
    },

    async restore(file, { replace, at, first }) {
      const lines = linesOf(file);
      const found = await readHeader(lines, file);
      const migrations = readMigrations('postgres');
      pendingOf(found.migrations, migrations);
      const aside = asidePrefix + at.toISOString().replaceAll(/\D/g, '');
      return connected(databaseUrl, (client) =>
        replaceAll(client, {
          replace,
          aside,
          first,
          migrations: migrations.slice(0, found.migrations.length),
          fill: () => fillTables(client, found, lines),
        }),
      ).catch((cause: unknown) => {
        throw unreadable(cause) ?? cause;
      });
    },

    reading(work) {
      return connected(databaseUrl, async (client) => {
        await refuseWhileServed(client);
        await beginReading(client);
        const { migrations, tables } = await describeTables(client);
        requireCurrent(pendingOf(migrations, readMigrations('postgres')));
        return work(await postgresRows(client, tables));
      });
    },

    requireEmpty: () =>
      connected(databaseUrl, async (client) => {
        if (await hasTables(client)) throw notEmpty();
      }),

    writeRows(rows, at) {
      return connected(databaseUrl, async (client) => {
        if (await hasTables(client)) throw notEmpty();
        const { rows: taken, compare } = checked(rows);
        let digests = new Map<string, TableDigest>();
        const migrations = readMigrations('postgres');
        const fill = async () => {
          for (const { name, checksum } of migrations)
            await client.query('insert into schema_migrations values ($1, $2, $3)', [
              name,
              checksum,
              at.toISOString(),
            ]);
          await fillTables(client, { tables: [...rows.tables], sequences: [] }, linesFrom(taken));
          await setNumbers(client, rows.numbers);
          digests = await compare(await postgresRows(client, rows.tables));
        };
        await replaceAll(client, { replace: false, aside: '', first: async () => {}, migrations, fill });
        return digests;
      });
    },
  };
}

/** PostgreSQL says that a row is not what its table has. */
function unreadable(cause: unknown): AppError | undefined {
  if (!(cause instanceof pg.DatabaseError && cause.code?.startsWith('22'))) return undefined;
  return invalid(
    'The rows in this backup are damaged, and nothing was changed. Use an earlier one (--list, --at).',
    { cause },
  );
}

async function beginReading(client: pg.Client): Promise<void> {
  await client.query('begin isolation level repeatable read read only; set local statement_timeout = 0');
  if (!(await hasTables(client))) throw noDatabase('postgres', '');
}

const notEmpty = () => conflict('There is data in the database to move to; name an empty one.');

interface Replacement {
  replace: boolean;
  /** Schema for the old data. */
  aside: string;
  first(): Promise<void>;
  migrations: readonly Migration[];
  fill(): Promise<void>;
}

/** All or nothing: a connection that ends before the commit leaves the database as it was. */
async function replaceAll(client: pg.Client, { replace, aside, first, migrations, fill }: Replacement) {
  await refuseWhileServed(client);
  const hadData = await hasTables(client);
  if (hadData && !replace)
    throw conflict(
      'There is data in this database. Add --yes to replace it with the backup; the old data is kept.',
    );
  await first();
  await client.query('begin; set local statement_timeout = 0');
  if (hadData) await client.query(`alter schema public rename to ${aside}; create schema public`);
  await client.query(
    'create table schema_migrations (name text primary key, checksum text not null, applied_at text not null)',
  );
  for (const { text } of migrations) await client.query(text);
  await fill();
  await client.query('commit');
  return { keptAside: hadData ? `schema ${aside}` : null };
}

const ident = pg.escapeIdentifier;

async function hasTables(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query("select 1 from pg_tables where schemaname = 'public' limit 1");
  return Boolean(rowCount);
}

async function describeTables(client: pg.Client): Promise<Header> {
  const tables = await client.query(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
       and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
     group by c.relname order by c.relname`,
  );
  const references = await client.query(
    `select distinct a.relname as table, b.relname as needs from pg_constraint k
     join pg_class a on a.oid = k.conrelid join pg_class b on b.oid = k.confrelid
     where k.contype = 'f' and k.connamespace = 'public'::regnamespace and a.oid <> b.oid`,
  );
  const names = await client.query(
    "select sequencename as name from pg_sequences where schemaname = 'public'",
  );
  const sequences = [];
  for (const { name } of names.rows) {
    const { rows } = await client.query(`select last_value::text as value, is_called from ${ident(name)}`);
    sequences.push({ name, ...rows[0] });
  }
  const migrations = await client.query('select name, checksum from schema_migrations order by name');
  return header.parse({
    steno: 'postgres',
    migrations: migrations.rows,
    tables: inOrder(tables.rows, references.rows),
    sequences,
  });
}

async function fillTables(
  client: pg.Client,
  found: Pick<Header, 'tables' | 'sequences'>,
  lines: AsyncGenerator<Buffer>,
): Promise<void> {
  const names = found.tables.map(({ name }) => ident(name));
  // Migrations may have put rows into new tables, and triggers would write changes that the backup has already.
  await client.query(`truncate ${names.join(', ')}`);
  for (const name of names) await client.query(`alter table ${name} disable trigger user`);
  for (const { name, columns } of found.tables)
    await copyIn(client, `copy ${ident(name)} (${columns.map(ident).join(', ')}) from stdin`, rowsOf(lines));
  for (const name of names) await client.query(`alter table ${name} enable trigger user`);
  for (const { name, value, is_called } of found.sequences)
    await client.query('select setval($1::regclass, $2::bigint, $3)', [
      `public.${ident(name)}`,
      value,
      is_called,
    ]);
}

/** As in the file of a backup. */
async function* linesFrom(rows: Rows): AsyncGenerator<Buffer> {
  for (const table of rows.tables) {
    for await (const row of rows.read(table)) yield copyLine(row);
    yield Buffer.from(`${endOfTable}\n`);
  }
}

async function refuseWhileServed(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(
    'select 1 from pg_stat_activity where datname = current_database() and starts_with(application_name, $1) limit 1',
    [listenerPrefix],
  );
  if (rowCount) throw conflict('A Steno server is using this database; stop all servers first.');
}

async function connected<Result>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect().catch((cause: unknown) => {
      throw explainPostgres(cause, databaseUrl);
    });
    return await work(client);
  } finally {
    // The work is over, and a connection that broke is closed already.
    await client.end().catch(() => {});
  }
}
