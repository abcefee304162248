import type { Db } from '../../store/database.ts';
import type { SearchDatabase } from '../thread/thread-database.ts';
import { mergeOwner } from './merge.ts';

/** Notes that go while a segment is written again are dead in the new one. */
const maxRounds = 3;

/** Writes the segments of the owners who purged notes again, without those notes; then nothing holds their words. */
export async function scrub(search: SearchDatabase, nowMs: number): Promise<void> {
  const owners = await search.snapshot((db) => db.selectFrom('search_scrubs').select('owner_id').execute());
  for (const { owner_id } of owners)
    for (let round = 1; round <= maxRounds; round += 1) {
      await mergeOwner(search, owner_id, nowMs, { maxDeadShare: 0 });
      if (await search.write((db) => isScrubbed(db, owner_id))) break;
    }
  if (owners.length > 0) await search.forget();
}

async function isScrubbed(db: Db, ownerId: string): Promise<boolean> {
  const dead = await db
    .selectFrom('search_dead')
    .select('entry')
    .where('owner_id', '=', ownerId)
    .limit(1)
    .executeTakeFirst();
  if (!dead) await db.deleteFrom('search_scrubs').where('owner_id', '=', ownerId).execute();
  return !dead;
}
