import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { broken, type Check, ok, reasonOf, warning } from '../../../domain/status.ts';
import type { Database } from '../../../platform/database/database.ts';
import { pendingMigrations } from '../../../platform/database/migrate.ts';

const lowDiskBytes = 1e9;
const fullDiskBytes = 1e8;
const maxClockDriftMs = 5_000;
/** Steno did not exist before this, so a clock that shows an earlier time is wrong. */
const earliestTime = Date.UTC(2026, 0, 1);

export function checkDisk({ dataDir }: { dataDir: string }): Check {
  let folder = dataDir;
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    const { bavail, bsize } = statfsSync(folder);
    const free = bavail * bsize;
    const found = `${(free / 1e9).toFixed(1)} GB free at ${dataDir}`;
    if (free < fullDiskBytes) return broken('disk', found, 'free some space, or move the data folder');
    return free < lowDiskBytes ? warning('disk', found, 'free some space soon') : ok('disk', found);
  } catch (cause) {
    return broken('disk', reasonOf(cause), 'check STENO_DATA_DIR');
  }
}

export async function checkMigrations(database: Database): Promise<Check> {
  try {
    const pending = await pendingMigrations(database);
    return pending.length === 0
      ? ok('migrations', 'up to date')
      : warning('migrations', `${pending.length} pending`, 'start the server once; it runs them');
  } catch (cause) {
    return broken('migrations', 'do not match this version of Steno', reasonOf(cause));
  }
}

/** `newest`: the time of the newest data. */
export function checkClock(newest: string | null, databaseNow: number): Check {
  const now = Date.now();
  const found = new Date(now).toISOString();
  const fix = 'set the clock of this machine, and use NTP to keep it right';
  if (now < earliestTime) return broken('clock', found, fix);
  if (Math.abs(databaseNow - now) > maxClockDriftMs)
    return broken('clock', `${found}, the database says ${new Date(databaseNow).toISOString()}`, fix);
  if (newest !== null && Date.parse(newest) > now + maxClockDriftMs)
    return broken('clock', `${found}, but there is data from ${newest}`, fix);
  return ok('clock', found);
}
