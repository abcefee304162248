import {
  compareCodePoints,
  createBlockWriter,
  readBlock,
  type TermPostings,
} from '../../domain/search/blocks.ts';
import { surfaces } from '../../domain/search/memory-index.ts';
import {
  type BuiltSegment,
  buildSegment,
  type IndexedText,
  type Postings,
  type Segment,
} from '../../domain/search/postings.ts';
import type { Db } from '../database.ts';
import { placesOf } from './stored-index.ts';
import type { SearchDatabase } from './thread-database.ts';

/** While a search has to read more fresh entries than this, merging them saves time. */
export const maxFreshAtRest = 256;
const maxFreshInMerge = 4_000;
const usualDeadShare = 0.25;
const [smallestClass, segmentsPerClass] = [1_000, 4];
const rowsPerWrite = 500;
const [blocksPerRead, blocksPerWrite] = [64, 64];
const abandonedAfterMs = 3_600_000;
const [building, complete, retired] = [0, 1, 2];
// Words that cannot be mistyped ones: numbers are not, and those of three letters have too many neighbours.
const correctable = /^\P{N}{4,}$/u;

/** A merge that another server finished first, or whose notes went meanwhile. Nothing is lost: the next one sees it. */
class MergeOvertaken extends Error {}

interface Source extends Segment {
  /** Terms in the order of their code points. */
  terms(): AsyncIterable<TermPostings>;
}

/**
 * Puts the owner's fresh entries into a stored segment, together with stored ones that are as small or hold many dead
 * notes: so there are few segments, and each note is written again a few times only.
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
  return { fresh: fresh.map(({ entry }) => entry), texts, dead: new Set(dead), inputs };
}

/** Four segments of one size class become one of the next, so a note is written again log₄ of the notes times. */
export function chooseInputs(
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

/** All living notes of the sources in order, and where each note of each source stands now; -1 for the dead. */
function joinNotes(sources: readonly Segment[], dead: ReadonlySet<number>) {
  const notes: { entry: number; length: number; source: number; place: number }[] = [];
  const moves = sources.map(({ entries }) => new Int32Array(entries.length).fill(-1));
  for (const [source, { entries, lengths }] of sources.entries())
    for (const [place, entry] of entries.entries())
      if (!dead.has(entry)) notes.push({ entry, length: lengths[place] ?? 0, source, place });
  notes.sort((one, other) => one.entry - other.entry);
  for (const [at, { source, place }] of notes.entries()) {
    const move = moves[source];
    if (move) move[place] = at;
  }
  const entries = Float64Array.from(notes, ({ entry }) => entry);
  return { entries, lengths: Uint32Array.from(notes, ({ length }) => length), moves };
}

async function writeTerms(
  search: SearchDatabase,
  segment: number,
  sources: readonly Source[],
  moves: readonly Int32Array[],
) {
  const terms: string[] = [];
  const firstTerms: string[] = [];
  const writer = createBlockWriter();
  let isNewBlock = true;
  let rows: { segment: number; block: number; data: Uint8Array }[] = [];
  const endBlock = async (isLast: boolean) => {
    if (!isNewBlock) rows.push({ segment, block: firstTerms.length - 1, data: writer.take() });
    isNewBlock = true;
    if (rows.length < blocksPerWrite && !isLast) return;
    const some = rows;
    rows = [];
    if (some.length > 0) await search.write((db) => db.insertInto('search_blocks').values(some).execute());
  };
  for await (const { term, found } of inStep(sources)) {
    const postings = movePostings(found, moves);
    if (postings.places.length === 0) continue;
    terms.push(term);
    if (isNewBlock) firstTerms.push(term);
    isNewBlock = false;
    if (writer.add({ term, postings })) await endBlock(false);
  }
  await endBlock(true);
  const words = [...surfaces(terms)].filter((word) => correctable.test(word));
  return { first_terms: firstTerms.join('\n'), vocabulary: words.join('\n') };
}

/** Each term once, with its postings in each source that has it. */
async function* inStep(sources: readonly Source[]) {
  const readers = sources.map((source) => source.terms()[Symbol.asyncIterator]());
  const heads = await Promise.all(readers.map((reader) => reader.next()));
  while (true) {
    let least: string | undefined;
    for (const { done, value } of heads)
      if (!done && (least === undefined || compareCodePoints(value.term, least) < 0)) least = value.term;
    if (least === undefined) return;
    const found: (Postings | undefined)[] = sources.map(() => undefined);
    for (const [at, head] of heads.entries()) {
      const reader = readers[at];
      if (!reader || head.done || head.value.term !== least) continue;
      found[at] = head.value.postings;
      heads[at] = await reader.next();
    }
    yield { term: least, found };
  }
}

function movePostings(found: readonly (Postings | undefined)[], moves: readonly Int32Array[]): Postings {
  const most = found.reduce((sum, postings) => sum + (postings?.places.length ?? 0), 0);
  const places = new Uint32Array(most);
  const counts = new Uint8Array(most);
  let notes = 0;
  let isInOrder = true;
  for (const [source, postings] of found.entries()) {
    const move = moves[source];
    if (!postings || !move) continue;
    for (let at = 0; at < postings.places.length; at += 1) {
      const place = move[postings.places[at] ?? 0] ?? -1;
      if (place < 0) continue;
      if (notes > 0 && place < (places[notes - 1] ?? 0)) isInOrder = false;
      places[notes] = place;
      counts[notes] = postings.counts[at] ?? 1;
      notes += 1;
    }
  }
  const moved = { places: places.subarray(0, notes), counts: counts.subarray(0, notes) };
  return isInOrder ? moved : inOrder(moved);
}

function inOrder({ places, counts }: Postings): Postings {
  const order = Uint32Array.from(places.keys()).sort(
    (one, other) => (places[one] ?? 0) - (places[other] ?? 0),
  );
  return {
    places: Uint32Array.from(order, (at) => places[at] ?? 0),
    counts: Uint8Array.from(order, (at) => counts[at] ?? 1),
  };
}

/** From here on the new segment stands for its parts, in one commit. */
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
    // Deleted or changed since the plan was made: the new segment holds them, so now they are dead in it.
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

/** Removes what merges have left behind: segments that are merged, and half a segment of a server that died. */
async function sweep(search: SearchDatabase, ownerId: string, nowMs: number): Promise<void> {
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
    .limit(rowsPerWrite);
  const { numDeletedRows } = await db
    .deleteFrom('search_blocks')
    .where('segment', '=', segment)
    .where('block', 'in', some)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

function memorySource({ terms, ...segment }: BuiltSegment): Source {
  return {
    ...segment,
    async *terms() {
      const inOrder = [...terms].sort(([one], [other]) => compareCodePoints(one, other));
      for (const [term, postings] of inOrder) yield { term, postings };
    },
  };
}

function storedSource(search: SearchDatabase, id: number, segment: Segment): Source {
  return {
    ...segment,
    async *terms() {
      for (let after = -1; ; ) {
        const rows = await search.snapshot((db) =>
          db
            .selectFrom('search_blocks')
            .select(['block', 'data'])
            .where('segment', '=', id)
            .where('block', '>', after)
            .orderBy('block')
            .limit(blocksPerRead)
            .execute(),
        );
        for (const { data } of rows) {
          const block = readBlock(data);
          for (const term of block.terms()) {
            const postings = block.postings(term);
            if (postings) yield { term, postings };
          }
        }
        const last = rows.at(-1);
        if (!last) return;
        after = last.block;
      }
    },
  };
}

function* inParts<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += rowsPerWrite) yield items.slice(at, at + rowsPerWrite);
}
