import { sql } from 'kysely';
import type { Db } from '../../../platform/database/schema.ts';
import { analyseNote, analyserVersion } from '../analyse/analyser.ts';
import type { SearchDatabase } from '../thread/thread-database.ts';

const notesPerRead = 50;

/** Inside a write. */
export async function addEntry(db: Db, seq: number, owner_id: string, text: string): Promise<void> {
  const { entry } = await db
    .insertInto('search_entries')
    .values({ seq, owner_id, analyser: analyserVersion, text })
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

/** Inside a write. An entry that a segment holds is dead until a merge drops it. */
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

/** Inside a write: removes all words of an owner whose notes are gone, and with them their entries. */
export async function removeOwnerIndex(db: Db, ownerId: string): Promise<void> {
  const ofOwner = db.selectFrom('search_segments').select('segment').where('owner_id', '=', ownerId);
  await db.deleteFrom('search_blocks').where('segment', 'in', ofOwner).execute();
  for (const table of ['search_segments', 'search_fresh', 'search_dead'] as const)
    await db.deleteFrom(table).where('owner_id', '=', ownerId).execute();
}

/** Inside a write: their segments still hold words of purged notes. */
export async function queueScrub(db: Db, ownerIds: ReadonlySet<string>): Promise<void> {
  for (const owner_id of ownerIds)
    await db
      .insertInto('search_scrubs')
      .values({ owner_id })
      .onConflict((conflict) => conflict.column('owner_id').doNothing())
      .execute();
}

/** Notes that are neither indexed nor pending, and entries of notes that are deleted or gone. */
export async function countGaps(db: Db): Promise<number> {
  const { rows } = await sql<{ gaps: number }>`
    select (select count(*) from notes where deleted_at is null
              and seq not in (select seq from search_entries) and seq not in (select seq from search_pending))
         + (select count(*) from search_entries
            where seq not in (select seq from notes where deleted_at is null)) as gaps`.execute(db);
  return Number(rows[0]?.gaps);
}

/** Notes that an older analyser indexed become pending. Until they are indexed again, their old entries are searched. */
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

/**
 * Analyses up to fifty pending notes, the newest first. Returns whose they were, and how many are pending no longer. The
 * old entry of a note is searched until its new one is committed.
 */
export async function indexPending(search: SearchDatabase): Promise<{ owners: Set<string>; done: number }> {
  const notes = await search.snapshot((db) =>
    db
      .selectFrom('search_pending')
      .leftJoin('notes', (join) =>
        join.onRef('notes.seq', '=', 'search_pending.seq').on('notes.deleted_at', 'is', null),
      )
      .select([
        'search_pending.seq',
        'owner_id',
        'title',
        'content',
        'enhanced_content',
        'transcript',
        'updated_at',
      ])
      .orderBy('search_pending.seq', 'desc')
      .limit(notesPerRead)
      .execute(),
  );
  const owners = new Set<string>();
  const gone: number[] = [];
  const analysed: { seq: number; owner_id: string; updated_at: string; text: string }[] = [];
  for (const { seq, owner_id, title, content, enhanced_content, transcript, updated_at } of notes) {
    if (owner_id === null || content === null || updated_at === null) {
      gone.push(seq);
      continue;
    }
    owners.add(owner_id);
    const text = analyseNote({ title, content, enhanced_content, transcript });
    analysed.push({ seq, owner_id, updated_at, text });
  }
  await search.write(async (db) => {
    if (gone.length > 0) await db.deleteFrom('search_pending').where('seq', 'in', gone).execute();
    for (const { seq, owner_id, updated_at, text } of analysed) {
      // If the note has changed or gone meanwhile, that write has removed its entry and queued it again if need be.
      if (!(await lockIfUnchanged(search, db, seq, updated_at))) continue;
      await removeEntries(db, [seq]);
      await addEntry(db, seq, owner_id, text);
    }
  });
  return { owners, done: notes.length };
}

/** No other transaction changes the note before this one ends. A lock, not an update: triggers log every update as a change. */
async function lockIfUnchanged(
  search: SearchDatabase,
  db: Db,
  seq: number,
  updated_at: string,
): Promise<boolean> {
  const unchanged = db
    .selectFrom('notes')
    .select('seq')
    .where('seq', '=', seq)
    .where('updated_at', '=', updated_at)
    .where('deleted_at', 'is', null)
    .where((note) => note.exists(note.selectFrom('search_pending').select('seq').where('seq', '=', seq)));
  return (await search.locking(unchanged).executeTakeFirst()) !== undefined;
}
