import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { AppError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { projectPath } from '../../lib/program.ts';
import type { Database, Db } from './database.ts';

export interface Migration {
  name: string;
  checksum: string;
  text: string;
}

export const migrationsDir = projectPath('migrations');

/** This code must not touch the database: it is newer, or its migrations were edited afterwards. */
export class MigrationRefused extends AppError {
  constructor(message: string) {
    super('conflict', message);
  }
}

/** `0002_init.sql` is for both databases, `0003_search.sqlite.sql` for one. The name ends before the first dot. */
export function readMigrations(database: Database['name'], dir = migrationsDir): Migration[] {
  return readdirSync(dir)
    .filter((file) => /^\d{4}_\w+(\.(sqlite|postgres))?\.sql$/.test(file))
    .filter((file) => file.split('.').length === 2 || file.endsWith(`.${database}.sql`))
    .sort()
    .map((file) => {
      const text = readFileSync(join(dir, file), 'utf8');
      const checksum = hash('sha256', text);
      return { name: file.slice(0, file.indexOf('.')), checksum, text };
    });
}

/** Runs pending migrations in one transaction. Replicas that start together wait for each other. `onBegin` gets their names. */
export async function migrate(
  database: Database,
  clock: Clock,
  migrations = readMigrations(database.name),
  onBegin: (names: string[]) => void = () => {},
) {
  return database.migrate(async (db, exec) => {
    await sql`create table if not exists schema_migrations
      (name text primary key, checksum text not null, applied_at text not null)`.execute(db);
    const applied = await readApplied(db);
    const pending = pendingOf(applied, migrations);
    if (pending.length > 0) onBegin(pending.map(({ name }) => name));
    for (const { name, checksum, text } of pending) {
      await exec(text);
      const applied_at = new Date(clock()).toISOString();
      await db.insertInto('schema_migrations').values({ name, checksum, applied_at }).execute();
    }
    return pending.map(({ name }) => name);
  });
}

/** The migrations that a start would run; all of them for an empty database. Changes nothing. */
export async function pendingMigrations(database: Database): Promise<string[]> {
  const applied = (await isUnused(database)) ? [] : await readApplied(database.db);
  return pendingOf(applied, readMigrations(database.name)).map(({ name }) => name);
}

/** Whether no Steno ever started on it. */
export async function isUnused({ db }: Database): Promise<boolean> {
  const tables = await db.introspection.getTables();
  return !tables.some(({ name }) => name === 'schema_migrations');
}

/** For commands. One that made a database would make the wrong one, beside the database of a server with other settings. */
export const noDatabase = (database: Database['name'], dataDir: string) =>
  new AppError(
    'not_found',
    database === 'sqlite'
      ? `There is no database in ${dataDir}: name the settings of your server with --env-file, STENO_DATA_DIR or STENO_DATABASE_URL; for a new one, start the server first ("steno serve").`
      : 'This PostgreSQL database is empty: check STENO_DATABASE_URL; for a new one, start the server first ("steno serve").',
  );

const readApplied = (db: Db) => db.selectFrom('schema_migrations').selectAll().orderBy('name').execute();

/** The migrations that come after `applied`. Raises MigrationRefused if `applied` does not match ours. */
export function pendingOf(
  applied: readonly Pick<Migration, 'name' | 'checksum'>[],
  known: readonly Migration[],
): Migration[] {
  applied.forEach(({ name, checksum }, index) => {
    const ours = known[index];
    if (ours === undefined)
      throw new MigrationRefused(
        `The database is newer than this Steno: it has migration ${name}. Use the newer version, or restore a backup.`,
      );
    if (ours.name !== name || ours.checksum !== checksum)
      throw new MigrationRefused(
        `Migration ${ours.name} differs from the one that this database ran (${name}). Restore the original file: used migrations must not be edited.`,
      );
  });
  return known.slice(applied.length);
}
