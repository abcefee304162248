import type { Db } from '../../../platform/database/schema.ts';
import type { SearchDatabase } from '../thread/thread-database.ts';
import { joinNotes, memorySource, storedSource, writeTerms } from './merge-terms.ts';
import { buildSegment, type IndexedText } from './postings.ts';
import { placesOf } from './stored-index.ts';

/** Above this many fresh entries, a merge makes searches faster. */
export const maxFreshAtRest = 256;
const maxFreshInMerge = 4_000;
const usualDeadShare = 0.25;
const [smallestClass, segmentsPerClass] = [1_000, 4];
const rowsPerStatement = 500;

/** Another server finished a merge of the same segments first. Nothing is lost: the next merge starts from there. */
class MergeOvertaken extends Error {}

/**
 * Writes the owner's fresh entries to a new segment, together with segments that are as small or have many dead notes.
 * So there are few segments, and each note is rewritten only a few times.
 */
export async function mergeOwner(
  search: SearchDatabase,
  ownerId: string,
  nowMs: number,
  { maxDeadShare = usualDeadShare } = {},
): Promise<void> {
  await sweep(search, ownerId, nowMs);
  const plan = await search.snapshot((db) => planMerge(db, ownerId, maxDeadShare));
  if (plan.fresh.length === 0 && plan.inputs.length === 0) return;
  const sources = [
    ...plan.inputs.map((input) => storedSource(search, input.segment, input)),
    memorySource(buildSegment(plan.texts)),
  ];
  const { entries, lengths, moves } = joinNotes(sources, plan.dead);
  const created_at = new Date(nowMs).toISOString();
  const { segment } = await search.write((db) =>
    db
      .insertInto('search_segments')
      .values({
        owner_id: ownerId,
        complete: building,
        created_at,
        notes: entries.length,
        entries: new Uint8Array(entries.buffer),
        lengths: new Uint8Array(lengths.buffer),
        first_terms: '',
        vocabulary: '',
      })
      .returning('segment')
      .executeTakeFirstOrThrow(),
  );
  try {
    const words = await writeTerms(search, segment, sources, moves);
    await search.write((db) => publish(db, ownerId, segment, words, plan));
  } catch (cause) {
    await search.write((db) => retire(db, [segment]));
    if (!(cause instanceof MergeOvertaken)) throw cause;
  }
  await sweep(search, ownerId, nowMs);
}

async function planMerge(db: Db, ownerId: string, maxDeadShare: number) {
  const fresh = await db
    .selectFrom('search_fresh')
    .select('entry')
    .where('owner_id', '=', ownerId)
    .orderBy('entry')
    .limit(maxFreshInMerge)
    .execute();
  const texts: IndexedText[] = [];
  for (const some of inParts(fresh.map(({ entry }) => entry)))
    texts.push(
      ...(await db
        .selectFrom('search_entries')
        .select(['entry', 'text'])
        .where('entry', 'in', some)
        .execute()),
    );
  const gone = await db.selectFrom('search_dead').select('entry').where('owner_id', '=', ownerId).execute();
  const dead = gone.map(({ entry }) => entry);
  const stored = await db
    .selectFrom('search_segments')
    .select(['segment', 'notes', 'entries', 'lengths'])
    .where('owner_id', '=', ownerId)
    .where('complete', '=', complete)
    .orderBy('notes')
    .execute();
  const inputs: { segment: number; entries: Float64Array; lengths: Uint32Array }[] = [];
  const chosen = chooseInputs(texts.length, stored);
  for (const row of stored) {
    const entries = new Float64Array(Uint8Array.from(row.entries).buffer);
    const deadShare = placesOf(dead, entries).size / row.notes;
    if (!chosen.has(row.segment) && deadShare <= maxDeadShare) continue;
    inputs.push({
      segment: row.segment,
      entries,
      lengths: new Uint32Array(Uint8Array.from(row.lengths).buffer),
    });
  }
  // Oldest first: then the joined posting lists are in order already.
  inputs.sort((one, other) => (one.entries[0] ?? 0) - (other.entries[0] ?? 0));
  return { fresh: fresh.map(({ entry }) => entry), texts, dead: new Set(dead), inputs };
}

/** Four segments of one size class become one of the next, so a note is rewritten log₄(notes) times. */
function chooseInputs(
  freshNotes: number,
  stored: readonly { segment: number; notes: number }[],
): Set<number> {
  const chosen = new Set<number>();
  let notes = freshNotes;
  const sizeClass = (size: number) =>
    Math.floor(Math.log(Math.max(1, size / smallestClass)) / Math.log(segmentsPerClass));
  while (true) {
    const alike = stored.filter(
      (row) => !chosen.has(row.segment) && sizeClass(row.notes) <= sizeClass(notes),
    );
    if (notes === 0 || alike.length < segmentsPerClass - 1) return chosen;
    for (const row of alike) {
      chosen.add(row.segment);
      notes += row.notes;
    }
  }
}

/** Replaces the fresh entries and the merged segments by the new segment, in one commit. */
async function publish(
  db: Db,
  ownerId: string,
  segment: number,
  words: { first_terms: string; vocabulary: string },
  plan: Awaited<ReturnType<typeof planMerge>>,
): Promise<void> {
  const inputs = plan.inputs.map((input) => input.segment);
  if ((await retire(db, inputs)) !== inputs.length) throw new MergeOvertaken('its parts are merged already');
  const published = await db
    .updateTable('search_segments')
    .set({ complete, ...words })
    .where('segment', '=', segment)
    .where('complete', '=', building)
    .executeTakeFirst();
  if (published.numUpdatedRows === 0n) throw new MergeOvertaken('it was given up');
  const merged = new Set(plan.texts.map(({ entry }) => entry));
  for (const entries of inParts(plan.fresh)) {
    const taken = await db
      .deleteFrom('search_fresh')
      .where('owner_id', '=', ownerId)
      .where('entry', 'in', entries)
      .returning('entry')
      .execute();
    const still = new Set(taken.map(({ entry }) => entry));
    // Deleted or changed since the plan was made, so they are dead in the new segment.
    const died = entries.filter((entry) => merged.has(entry) && !still.has(entry));
    if (died.length > 0)
      await db
        .insertInto('search_dead')
        .values(died.map((entry) => ({ owner_id: ownerId, entry })))
        .execute();
  }
  const inInputs = new Set(
    plan.inputs.flatMap(({ entries }) => [...entries].filter((entry) => plan.dead.has(entry))),
  );
  for (const entries of inParts([...inInputs]))
    await db
      .deleteFrom('search_dead')
      .where('owner_id', '=', ownerId)
      .where('entry', 'in', entries)
      .execute();
}

function* inParts<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += rowsPerStatement) yield items.slice(at, at + rowsPerStatement);
}

/** The states of a segment, in its column `complete`. Only complete ones are searched. */
const [building, complete, retired] = [0, 1, 2];
const abandonedAfterMs = 3_600_000;
const blocksPerDelete = 500;

/** Returns how many of them were not retired before. */
async function retire(db: Db, segments: readonly number[]): Promise<number> {
  if (segments.length === 0) return 0;
  const { numUpdatedRows } = await db
    .updateTable('search_segments')
    .set({ complete: retired })
    .where('segment', 'in', segments)
    .where('complete', '!=', retired)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Deletes retired segments, and unfinished ones of a server that died. */
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

/** Notes that are deleted during a merge are dead in the new segment, which needs another round. */
const maxRounds = 3;

/** Rewrites the segments of owners who purged notes, until no segment has words of those notes. */
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
