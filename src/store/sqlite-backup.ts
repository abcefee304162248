import { existsSync, linkSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { AppError } from '../domain/errors.ts';
import { syncToDisk, writeBackupFile } from './backup-file.ts';
import type { Backups } from './backups.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { pendingOf, readMigrations } from './migrate.ts';
import { busyTimeoutMs, databaseFile } from './sqlite.ts';
import { firstColumn } from './sqlite-checkup.ts';
import { explainSqlite } from './unusable.ts';

// More pages than any database has: one step, so one snapshot, and writers never make it start over.
const allPagesAtOnce = 2 ** 31 - 1;

export function sqliteBackups(dataDir: string): Backups {
  const database = databaseFile(dataDir);

  return {
    async backup(target, options) {
      if (!existsSync(database))
        throw new AppError('not_found', `There is no database in ${dataDir} yet; check STENO_DATA_DIR.`);
      return writeBackupFile(target, options, async (part) => {
        await copyDatabase(database, part);
        checkCopy(part, 'The copy');
      });
    },

    async restore(file, { replace, at }) {
      const source = resolve(file);
      if (!existsSync(source)) throw new AppError('not_found', `There is no file ${source}.`);
      if (existsSync(database) && realpathSync(source) === realpathSync(database))
        throw new AppError('validation_error', `${source} is the database itself; name a backup of it.`);
      const lock = lockDataDir(dataDir);
      const incoming = `${database}.incoming`;
      try {
        rmSync(incoming, { force: true });
        await copyDatabase(source, incoming);
        checkCopy(incoming, source);
        if (existsSync(database) && !replace)
          throw new AppError(
            'conflict',
            `There is a database in ${dataDir}; add --yes to put the backup in its place (it is kept aside).`,
          );
        syncToDisk(incoming);
        return { keptAside: swapIn(incoming, database, at) };
      } finally {
        rmSync(incoming, { force: true });
        lock.release();
      }
    },
  };
}

async function copyDatabase(from: string, to: string): Promise<void> {
  try {
    const source = new DatabaseSync(from, { readOnly: true, timeout: busyTimeoutMs });
    try {
      await backup(source, to, { rate: allPagesAtOnce });
    } finally {
      source.close();
    }
  } catch (cause) {
    throw explainSqlite(cause, dirname(to), from);
  }
}

/** Raises `validation_error` for what is no whole Steno database, MigrationRefused for one of newer code. */
function checkCopy(copy: string, name: string): void {
  const database = new DatabaseSync(copy, { timeout: busyTimeoutMs });
  try {
    // Takes the write-ahead mode out of the file, so that it is one file and can be read from a read-only disk.
    database.exec('pragma journal_mode = delete');
    const [check] = firstColumn(database, 'pragma integrity_check(1)');
    if (check !== 'ok') throw new AppError('validation_error', `${name} is damaged (${check}).`);
    if (database.prepare("select 1 from sqlite_schema where name = 'schema_migrations'").get() === undefined)
      throw new AppError('validation_error', `${name} is not a backup of Steno.`);
    const applied = database.prepare('select name, checksum from schema_migrations order by name').all();
    pendingOf(
      applied.map((row) => ({ name: String(row.name), checksum: String(row.checksum) })),
      readMigrations('sqlite'),
    );
  } finally {
    database.close();
  }
}

/**
 * The old database keeps its content under a new name while the backup takes its place in one rename: whenever the
 * machine stops, there is a whole database. A log of the old one must never meet the new one.
 */
function swapIn(incoming: string, database: string, at: Date): string | null {
  let keptAside: string | null = null;
  if (existsSync(database)) {
    keptAside = `${database}.before-restore-${at.toISOString().replaceAll(/[:.]/g, '-')}`;
    foldLog(database);
    linkSync(database, keptAside);
    for (const suffix of ['-wal', '-shm'])
      if (existsSync(database + suffix)) renameSync(database + suffix, keptAside + suffix);
  }
  renameSync(incoming, database);
  syncToDisk(dirname(database));
  return keptAside;
}

/** The last one to close a database writes its log into it. A damaged database may refuse; then its log moves along. */
function foldLog(database: string): void {
  try {
    const connection = new DatabaseSync(database, { timeout: busyTimeoutMs });
    connection.exec('pragma wal_checkpoint(truncate)');
    connection.close();
  } catch {}
}
