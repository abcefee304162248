import { type Check, ok, warning } from '../../../domain/status.ts';
import { lastBackupName, readLastBackup } from '../../../platform/backup/last.ts';
import type { Database } from '../../../platform/database/database.ts';
import { installedValue } from '../../../platform/database/installation.ts';

const dayMs = 86_400_000;
/** A weekly backup that was missed. */
const lateDays = 8;
const fix = 'make one with "steno backup", and let a timer do it (docs/operations.md)';

/** When was the last good backup made? */
export async function checkBackup(database: Database): Promise<Check> {
  const last = readLastBackup(await installedValue(database.db, lastBackupName));
  if (last === null) {
    const first = await database.db
      .selectFrom('notes')
      .select(({ fn }) => fn.min('created_at').as('at'))
      .executeTakeFirst();
    return first?.at && daysSince(first.at) > 1
      ? warning('backup', 'none was ever made', fix)
      : ok('backup', 'none yet; no note is older than a day');
  }
  const found = `${last.at}, in ${last.place}`;
  return daysSince(last.at) > lateDays ? warning('backup', found, fix) : ok('backup', found);
}

const daysSince = (time: string) => (Date.now() - Date.parse(time)) / dayMs;
