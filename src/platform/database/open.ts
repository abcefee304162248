import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Database } from './database.ts';
import { migrate } from './migrate.ts';
import { openSqlite } from './sqlite.ts';

interface DatabaseSettings {
  /** Empty for SQLite in the data folder. */
  readonly databaseUrl: string;
  readonly databasePool: number;
  readonly databaseListenUrl: string;
  readonly dataDir: string;
}

/** A large database may take minutes, in which the server does not listen. */
export async function migrateAndTell(database: Database, clock: Clock, log: Log | undefined): Promise<void> {
  const startedAt = performance.now();
  const done = await migrate(database, clock, undefined, (migrations) =>
    log?.info({ database: database.name, migrations }, 'Migrating the database'),
  );
  const seconds = Math.round(performance.now() - startedAt) / 1_000;
  if (done.length > 0)
    log?.info({ database: database.name, migrations: done.length, seconds }, 'The database is migrated');
}

/** Opens the database without migrating it. */
export async function openDatabase(settings: DatabaseSettings): Promise<Database> {
  if (settings.databaseUrl === '') return openSqlite(settings.dataDir);
  // Loaded only if used, because loading the driver takes 60 ms.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres(settings.databaseUrl, settings.databasePool, settings.databaseListenUrl);
}
