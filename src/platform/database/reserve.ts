import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteCode } from './unusable.ts';

/** Deleting a note writes some pages of 4 kB to the log first, so this is room for a hundred deletions. */
const reserveBytes = 1_048_576;
const sqliteIoError = 10;
const sqliteFull = 13;

export const isFull = (cause: unknown) =>
  sqliteCode(cause) === sqliteFull || sqliteCode(cause) === sqliteIoError;

/** A file that only deletions may replace: on a full disk they need room before they make room. */
export function createReserve(dataDir: string) {
  const file = join(dataDir, 'reserve');
  const isThere = () => statSync(file, { throwIfNoEntry: false })?.size === reserveBytes;

  function make(): void {
    if (isThere()) return;
    try {
      const opened = openSync(file, 'w', 0o600);
      try {
        if (writeSync(opened, Buffer.alloc(reserveBytes)) === reserveBytes) return;
      } finally {
        closeSync(opened);
      }
    } catch {
      // The disk is full or read-only. The next deletion tries again.
    }
    rmSync(file, { force: true });
  }

  return {
    make,
    async deleting<Result>(write: () => Promise<Result>): Promise<Result> {
      make();
      try {
        return await write();
      } catch (cause) {
        if (!isFull(cause) || !isThere()) throw cause;
        rmSync(file);
        return write();
      }
    },
  };
}
