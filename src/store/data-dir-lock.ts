import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../domain/errors.ts';
import { explainingSqlite, explainSqlite, sqliteBusy, sqliteCode } from './unusable.ts';

/**
 * Holds the data folder for one server. The lock is SQLite's own, on a file of its own: the system frees it when the
 * process ends, however it ends, and the CLI can still read and write the database beside the server.
 */
export function lockDataDir(dataDir: string): { release(): void } {
  const file = join(dataDir, 'server.lock');
  const lock = explainingSqlite(dataDir, file, () => {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return new DatabaseSync(file, { timeout: 0 });
  });
  try {
    lock.exec('pragma journal_mode = memory; begin exclusive');
  } catch (cause) {
    lock.close();
    if (sqliteCode(cause) !== sqliteBusy) throw explainSqlite(cause, dataDir, file);
    throw new AppError(
      'conflict',
      `Another Steno server is using ${dataDir}; stop it, or set STENO_DATA_DIR.`,
      { cause },
    );
  }
  return { release: () => lock.close() };
}
