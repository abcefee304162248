import { type Check, ok, warning } from '../../../domain/status.ts';
import { lastBackupName, readLastBackup } from '../../../platform/backup/last.ts';
import type { Database } from '../../../platform/database/database.ts';
import { createStore } from '../../../store.ts';

const dayMs = 86_400_000;
/** A weekly backup that was missed, or data of a week without any. */
const lateDays = 8;
const fix = 'make one with "steno backup", and let a timer do it (docs/operations.md)';

/** When was the last good backup made? */
export async function checkBackup(database: Database): Promise<Check> {
  const last = readLastBackup(await createStore(database).installation.read(lastBackupName));
  if (last === null) {
    const first = await database.db
      .selectFrom('users')
      .select('created_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    return daysSince(first?.created_at) > lateDays
      ? warning('backup', 'none was ever made', fix)
      : ok('backup', 'none yet');
  }
  const found = `${last.at}, in ${last.place}`;
  return daysSince(last.at) > lateDays ? warning('backup', found, fix) : ok('backup', found);
}

const daysSince = (time: string | undefined) =>
  time === undefined ? 0 : (Date.now() - Date.parse(time)) / dayMs;
