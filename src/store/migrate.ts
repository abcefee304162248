import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Clock } from '../ports/clock.ts';
import type { SqlEngine } from './engine.ts';

export interface Migration {
  name: string;
  checksum: string;
  text: string;
}

export const migrationsDir = join(import.meta.dirname, '../../migrations');

/** A database this code must not touch: made by newer code, or by migrations that were changed afterwards. */
export class MigrationRefused extends Error {}

/** `0002_init.sql` is for both engines, `0003_search.sqlite.sql` for one; the name is what stands before the first dot. */
export function readMigrations(engine: SqlEngine['name'], dir = migrationsDir): Migration[] {
  return readdirSync(dir)
    .filter((file) => /^\d{4}_\w+(\.(sqlite|postgres))?\.sql$/.test(file))
    .filter((file) => file.split('.').length === 2 || file.endsWith(`.${engine}.sql`))
    .sort()
    .map((file) => {
      const text = readFileSync(join(dir, file), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      return { name: file.slice(0, file.indexOf('.')), checksum, text };
    });
}

/** Brings the database forward, in one transaction; replicas that start together wait for one another. */
export async function migrate(engine: SqlEngine, clock: Clock, migrations = readMigrations(engine.name)) {
  return engine.migrate(async (db, exec) => {
    await sql`create table if not exists schema_migrations
      (name text primary key, checksum text not null, applied_at text not null)`.execute(db);
    const applied = await db.selectFrom('schema_migrations').selectAll().orderBy('name').execute();
    refuseUnknown(applied, migrations);
    const pending = migrations.slice(applied.length);
    for (const { name, checksum, text } of pending) {
      await exec(text);
      const applied_at = new Date(clock()).toISOString();
      await db.insertInto('schema_migrations').values({ name, checksum, applied_at }).execute();
    }
    return pending.map(({ name }) => name);
  });
}

function refuseUnknown(applied: { name: string; checksum: string }[], known: Migration[]): void {
  applied.forEach(({ name, checksum }, index) => {
    const ours = known[index];
    if (ours === undefined)
      throw new MigrationRefused(
        `The database is newer than this Steno: it holds migration ${name}. Start the newer version again, or restore a backup.`,
      );
    if (ours.name !== name || ours.checksum !== checksum)
      throw new MigrationRefused(
        `Migration ${ours.name} is not the one this database was made with (${name}). Migrations are never edited once used.`,
      );
  });
}
