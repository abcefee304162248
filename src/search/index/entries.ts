import { sql } from 'kysely';
import type { Db } from '../../store/database.ts';
import { analyserVersion, type SearchText } from '../analyse/note-text.ts';
import { joinText } from './postings.ts';

/** Inside a write. `null` stands for a text that is analysed after the write, in the background. */
export async function addEntry(
  db: Db,
  seq: number,
  owner_id: string,
  text: SearchText | null,
): Promise<void> {
  if (text === null) return addPending(db, [seq]);
  const { entry } = await db
    .insertInto('search_entries')
    .values({ seq, owner_id, analyser: analyserVersion, text: joinText(text) })
    .returning('entry')
    .executeTakeFirstOrThrow();
  await db.insertInto('search_fresh').values({ owner_id, entry }).execute();
}

/** Inside a write: these notes are analysed after it, in the background. */
export async function addPending(db: Db, seqs: readonly number[]): Promise<void> {
  await db
    .insertInto('search_pending')
    .values(seqs.map((seq) => ({ seq })))
    .onConflict((conflict) => conflict.column('seq').doNothing())
    .execute();
}

/** Inside a write: what was indexed of the notes is no longer found. */
export async function removeEntries(db: Db, seqs: readonly number[]): Promise<void> {
  await db.deleteFrom('search_pending').where('seq', 'in', seqs).execute();
  const removed = await db
    .deleteFrom('search_entries')
    .where('seq', 'in', seqs)
    .returning(['owner_id', 'entry'])
    .execute();
  for (const [owner_id, ofOwner = []] of Map.groupBy(removed, (entry) => entry.owner_id)) {
    const entries = ofOwner.map(({ entry }) => entry);
    const fresh = await db
      .deleteFrom('search_fresh')
      .where('owner_id', '=', owner_id)
      .where('entry', 'in', entries)
      .returning('entry')
      .execute();
    const wereFresh = new Set(fresh.map(({ entry }) => entry));
    const dead = entries.filter((entry) => !wereFresh.has(entry)).map((entry) => ({ owner_id, entry }));
    if (dead.length > 0) await db.insertInto('search_dead').values(dead).execute();
  }
}

/** Inside a write: nothing of the owner's words stays. Their notes take the entries with them. */
export async function removeOwnerIndex(db: Db, ownerId: string): Promise<void> {
  const ofOwner = db.selectFrom('search_segments').select('segment').where('owner_id', '=', ownerId);
  await db.deleteFrom('search_blocks').where('segment', 'in', ofOwner).execute();
  for (const table of ['search_segments', 'search_fresh', 'search_dead'] as const)
    await db.deleteFrom(table).where('owner_id', '=', ownerId).execute();
}

/** Notes that are neither indexed nor waiting for it, and entries of notes that are deleted or gone. */
export async function countSearchGaps(db: Db): Promise<number> {
  const { rows } = await sql<{ gaps: number }>`
    select (select count(*) from notes where deleted_at is null
              and seq not in (select seq from search_entries) and seq not in (select seq from search_pending))
         + (select count(*) from search_entries
            where seq not in (select seq from notes where deleted_at is null)) as gaps`.execute(db);
  return Number(rows[0]?.gaps);
}

/** Notes that an older analyser has indexed wait to be indexed anew; meanwhile they are found as they are. */
export async function queueOutdated(db: Db): Promise<void> {
  const name = 'search_analyser';
  const known = await db
    .selectFrom('installation')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst();
  const value = String(analyserVersion);
  if (known?.value === value) return;
  await sql`insert into search_pending select seq from search_entries where analyser <> ${analyserVersion}
    on conflict (seq) do nothing`.execute(db);
  await db
    .insertInto('installation')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}
