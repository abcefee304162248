import { existsSync, linkSync, mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { AppError, conflict, invalid } from '../../domain/errors.ts';
import { type Backups, syncToDisk } from './backup-file.ts';
import { lockDataDir } from './data-dir-lock.ts';
import { checked, requireCurrent, type TableDigest } from './rows.ts';
import { databaseFile, requireDatabase } from './sqlite.ts';
import { busyTimeoutMs, firstColumn } from './sqlite-connection.ts';
import { openSqliteRows, pendingIn, writeSqliteRows } from './sqlite-rows.ts';
import { explainSqlite, sqliteCode, sqliteCorrupt, sqliteNotADatabase } from './unusable.ts';

// More pages than any database has: the copy is one step and one snapshot, and no write makes it start again.
const allPagesAtOnce = 2 ** 31 - 1;

export function sqliteBackups(dataDir: string): Backups {
  const database = databaseFile(dataDir);

  return {
    kind: 'sqlite',

    async copyTo(file) {
      requireDatabase(dataDir);
      try {
        await copyDatabase(database, file);
        return withDatabase(file, (copy) => {
          checkWhole(copy);
          return recordingsIn(copy);
        });
      } catch (cause) {
        throw explainSqlite(cause, dataDir, database);
      }
    },

    async reading(work) {
      requireDatabase(dataDir);
      const lock = lockDataDir(dataDir);
      try {
        const { pending, close, ...rows } = openSqliteRows(database);
        try {
          requireCurrent(pending);
          return await work(rows);
        } finally {
          close();
        }
      } finally {
        lock.release();
      }
    },

    async requireEmpty() {
      if (existsSync(database))
        throw conflict(`There is a database in ${dataDir}; name an empty folder to move to.`);
    },

    async writeRows(rows, at) {
      await this.requireEmpty();
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
      const incoming = `${database}.moving`;
      const { rows: taken, compare } = checked(rows);
      let digests = new Map<string, TableDigest>();
      try {
        await writeSqliteRows(incoming, taken, {
          at,
          async check(written) {
            digests = await compare(written);
          },
        });
        await this.restore(incoming, { replace: false, at, first: async () => {} });
      } finally {
        rmSync(incoming, { force: true });
      }
      return digests;
    },

    async restore(file, { replace, at, first }) {
      const source = resolve(file);
      if (!existsSync(source)) throw new AppError('not_found', `There is no file ${source}; check its name.`);
      if (existsSync(database) && realpathSync(source) === realpathSync(database))
        throw invalid(`${source} is the database itself; give the file of a backup.`);
      const lock = lockDataDir(dataDir);
      const incoming = `${database}.incoming`;
      try {
        rmSync(incoming, { force: true });
        try {
          await copyDatabase(source, incoming);
          withDatabase(incoming, (copy) => {
            checkWhole(copy);
            checkOurs(copy, source);
          });
        } catch (cause) {
          throw explainBadBackup(cause, source);
        }
        if (existsSync(database) && !replace)
          throw conflict(
            `There is a database in ${dataDir}. Add --yes to replace it with the backup; the old one is kept.`,
          );
        syncToDisk(incoming);
        await first();
        return { keptAside: swapIn(incoming, database, at) };
      } finally {
        rmSync(incoming, { force: true });
        lock.release();
      }
    },
  };
}

async function copyDatabase(from: string, to: string): Promise<void> {
  using source = new DatabaseSync(from, { readOnly: true, timeout: busyTimeoutMs });
  await backup(source, to, { rate: allPagesAtOnce });
}

/** Raises SQLite's own error, or one with its code for a damaged file, when the copy is not intact. */
function checkWhole(copy: DatabaseSync): void {
  // Without the write-ahead log the backup is one file, which can be read from a read-only disk.
  copy.exec('pragma journal_mode = delete');
  const [verdict] = firstColumn(copy, 'pragma integrity_check(1)');
  if (verdict !== 'ok') throw Object.assign(new Error(verdict), { errcode: sqliteCorrupt });
}

/** Raises MigrationRefused for a database of a newer version. */
function checkOurs(copy: DatabaseSync, name: string): void {
  if (firstColumn(copy, "select 1 from sqlite_schema where name = 'schema_migrations'").length === 0)
    throw notABackup(name);
  pendingIn(copy);
}

/** A database from before there were recordings has none. */
function recordingsIn(copy: DatabaseSync): { id: string; bytes: number }[] {
  if (
    firstColumn(copy, "select 1 from pragma_table_info('recordings') where name = 'has_audio'").length === 0
  )
    return [];
  const rows = copy.prepare('select id, bytes from recordings where has_audio = 1').all();
  return rows.map(({ id, bytes }) => ({ id: String(id), bytes: Number(bytes) }));
}

function withDatabase<Result>(file: string, work: (database: DatabaseSync) => Result): Result {
  using database = new DatabaseSync(file, { timeout: busyTimeoutMs });
  return work(database);
}

const notABackup = (file: string) =>
  invalid(`${file} is not a backup of Steno; give a file that "steno backup" wrote.`);

function explainBadBackup(cause: unknown, file: string): unknown {
  const code = sqliteCode(cause);
  if (code === sqliteNotADatabase) return notABackup(file);
  if (code === sqliteCorrupt) return invalid(`${file} is damaged; use another backup.`);
  return explainSqlite(cause, dirname(file), file);
}

/**
 * The old database gets a second name, then one rename puts the backup in its place: whenever the machine stops, there
 * is a complete database. The log of the old one must not be there when the new one is opened.
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

/** Writes the log into the database. A damaged one may refuse; then the log is renamed with it. */
function foldLog(database: string): void {
  try {
    withDatabase(database, (connection) => connection.exec('pragma wal_checkpoint(truncate)'));
  } catch {}
}
