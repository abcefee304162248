import { dayMs } from '../../domain/rate-limit.ts';
import type { Context } from '../../kernel/context.ts';
import { isoAfter } from '../../lib/clock.ts';
import type { Database, Tx } from '../../platform/database/database.ts';
import * as queries from './queries.ts';

/** More notes are purged in several transactions, so that no other write waits long. */
export const notesPerWrite = 200;

/** What the search index holds of purged notes. Runs in the background; if it fails, the hourly housekeeping does it. */
export const scrubLater = ({ search }: Database): void => {
  search.scrub().catch(() => {});
};

/** Purges some of the notes of the trash for good, and returns how many. */
export async function purgeSome(
  database: Database,
  tx: Tx,
  which: (found: ReturnType<typeof queries.trashed>) => ReturnType<typeof queries.trashed>,
): Promise<number> {
  const found = which(queries.trashed(tx)).select(['id', 'seq', 'owner_id']).limit(notesPerWrite);
  const notes = await found.execute();
  await queries.remove(database, tx, notes);
  return notes.length;
}

/** What has been in the trash for too long. Not in the audit log, because no person purges it. */
export async function purgeExpired({ database, now, parts }: Context<unknown>): Promise<void> {
  const before = isoAfter(now, -parts.config.trashDays * dayMs);
  const some = () =>
    database.write((tx) => purgeSome(database, tx, (found) => found.where('deleted_at', '<', before)));
  while ((await some()) === notesPerWrite);
  scrubLater(database);
}
