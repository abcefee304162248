import { closeSync, fsyncSync, openSync } from 'node:fs';
import type { Rows, TableDigest } from './rows.ts';

/** Copies of the whole database in one file. Neither of the two migrates: people take a backup before an upgrade. */
export interface Backups {
  readonly kind: 'sqlite' | 'postgres';
  /** One snapshot, even while servers write. Returns the recordings that have audio in it. */
  copyTo(file: string): Promise<{ id: string; bytes: number }[]>;
  /**
   * Replaces the database with a copy and returns where the old data is now. Raises `conflict` while a server runs, and when
   * there is data and `replace` is not set; `validation_error` for a file that is no copy. `first` runs when nothing of that
   * is in the way, before anything is replaced.
   */
  restore(
    file: string,
    options: { replace: boolean; at: Date; first(): Promise<void> },
  ): Promise<{ keptAside: string | null }>;
  /** All rows, in one snapshot. Raises `conflict` while a server runs, and for a database of an earlier version. */
  reading<Result>(work: (rows: Rows) => Promise<Result>): Promise<Result>;
  /** Raises `conflict` if there is data. */
  requireEmpty(): Promise<void>;
  /** Makes a database of rows from either kind, all or nothing, and reads them again before they count. Raises `conflict` too. */
  writeRows(rows: Rows, at: Date): Promise<Map<string, TableDigest>>;
}

export function syncToDisk(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
