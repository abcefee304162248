import type { Db } from '../../store/database.ts';
import type { SearchDatabase } from '../thread/thread-database.ts';

/** The column `complete` of a segment: only complete ones are searched. */
export const [building, complete, retired] = [0, 1, 2];
const abandonedAfterMs = 3_600_000;
const blocksPerDelete = 500;

/** How many of them stood until now. */
export async function retire(db: Db, segments: readonly number[]): Promise<number> {
  if (segments.length === 0) return 0;
  const { numUpdatedRows } = await db
    .updateTable('search_segments')
    .set({ complete: retired })
    .where('segment', 'in', segments)
    .where('complete', '!=', retired)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Removes what merges have left behind: segments that are merged, and half a segment of a server that died. */
export async function sweep(search: SearchDatabase, ownerId: string, nowMs: number): Promise<void> {
  const abandoned = new Date(nowMs - abandonedAfterMs).toISOString();
  const rows = await search.snapshot((db) =>
    db
      .selectFrom('search_segments')
      .select('segment')
      .where('owner_id', '=', ownerId)
      .where((is) =>
        is.or([
          is('complete', '=', retired),
          is.and([is('complete', '=', building), is('created_at', '<', abandoned)]),
        ]),
      )
      .execute(),
  );
  for (const { segment } of rows) {
    while (await search.write((db) => deleteSomeBlocks(db, segment)));
    await search.write((db) => db.deleteFrom('search_segments').where('segment', '=', segment).execute());
  }
}

async function deleteSomeBlocks(db: Db, segment: number): Promise<boolean> {
  const some = db
    .selectFrom('search_blocks')
    .select('block')
    .where('segment', '=', segment)
    .limit(blocksPerDelete);
  const { numDeletedRows } = await db
    .deleteFrom('search_blocks')
    .where('segment', '=', segment)
    .where('block', 'in', some)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
