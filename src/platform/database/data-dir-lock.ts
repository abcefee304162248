import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { conflict } from '../../domain/errors.ts';
import { explainingSqlite, explainSqlite, sqliteBusy, sqliteCode } from './unusable.ts';

/**
 * Locks the data folder, so that only one server uses it. The lock is SQLite's own, on a separate file. The system frees it
 * however the process ends, and the CLI can still use the database while the server runs.
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
    throw conflict(
      `Another Steno server is using ${dataDir}; stop it, or set STENO_DATA_DIR to another folder.`,
      { cause },
    );
  }
  return { release: () => lock.close() };
}
