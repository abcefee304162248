import { surfaces } from '../../domain/search/memory-index.ts';
import {
  type BuiltSegment,
  buildSegment,
  decodePostings,
  encodePostings,
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
const maxDeadShare = 0.25;
const rowsPerWrite = 500;
const termsPerPage = 1_000;
const abandonedAfterMs = 3_600_000;
const [building, complete, retired] = [0, 1, 2];
// Words that cannot be mistyped ones: numbers are not, and those of three letters have too many neighbours.
const correctable = /^\P{N}{4,}$/u;

/** A merge that another server finished first, or whose notes went meanwhile. Nothing is lost: the next one sees it. */
class MergeOvertaken extends Error {}

interface Source extends Segment {
  /** Terms in the order of their code points. */
  terms(): AsyncIterable<{ term: string; postings: Postings }>;
}

/**
 * Puts the owner's fresh entries into a stored segment, together with stored ones that are not larger than what is
 * there so far: so there are few segments, and each note is written again only when its segment doubles.
 */
export async function mergeOwner(search: SearchDatabase, ownerId: string, nowMs: number): Promise<void> {
  await sweep(search, ownerId, nowMs);
  const plan = await search.snapshot((db) => planMerge(db, ownerId));
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
        vocabulary: '',
      })
      .returning('segment')
      .executeTakeFirstOrThrow(),
  );
  try {
    const vocabulary = await writeTerms(search, segment, sources, moves);
    await search.write((db) => publish(db, ownerId, segment, vocabulary, plan));
  } catch (cause) {
    await search.write((db) => retire(db, [segment]));
    if (!(cause instanceof MergeOvertaken)) throw cause;
  }
  await sweep(search, ownerId, nowMs);
}

async function planMerge(db: Db, ownerId: string) {
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
  let notes = texts.length;
  for (const row of stored) {
    const entries = new Float64Array(Uint8Array.from(row.entries).buffer);
    const deadShare = placesOf(dead, entries).size / row.notes;
    if (row.notes > notes && deadShare <= maxDeadShare) continue;
    inputs.push({
      segment: row.segment,
      entries,
      lengths: new Uint32Array(Uint8Array.from(row.lengths).buffer),
    });
    notes += row.notes;
  }
  return { fresh: fresh.map(({ entry }) => entry), texts, dead: new Set(dead), inputs };
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
): Promise<string> {
  const words: string[] = [];
  let rows: { segment: number; term: string; notes: number; postings: Uint8Array }[] = [];
  const flush = async () => {
    const some = rows;
    rows = [];
    if (some.length > 0) await search.write((db) => insertTerms(db, some));
  };
  for await (const { term, found } of inStep(sources)) {
    const postings = movePostings(found, moves);
    if (postings.places.length === 0) continue;
    rows.push({ segment, term, notes: postings.places.length, postings: encodePostings(postings) });
    words.push(term);
    if (rows.length === rowsPerWrite) await flush();
  }
  await flush();
  return [...surfaces(words)].filter((word) => correctable.test(word)).join('\n');
}

async function insertTerms(
  db: Db,
  rows: { segment: number; term: string; notes: number; postings: Uint8Array }[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += 50)
    await db
      .insertInto('search_terms')
      .values(rows.slice(at, at + 50))
      .execute();
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
  const moved: { place: number; count: number }[] = [];
  for (const [source, postings] of found.entries())
    postings?.places.forEach((before, at) => {
      const place = moves[source]?.[before] ?? -1;
      if (place >= 0) moved.push({ place, count: postings.counts[at] ?? 1 });
    });
  moved.sort((one, other) => one.place - other.place);
  return {
    places: Uint32Array.from(moved, ({ place }) => place),
    counts: Uint8Array.from(moved, ({ count }) => count),
  };
}

/** From here on the new segment stands for its parts, in one commit. */
async function publish(
  db: Db,
  ownerId: string,
  segment: number,
  vocabulary: string,
  plan: Awaited<ReturnType<typeof planMerge>>,
): Promise<void> {
  const inputs = plan.inputs.map((input) => input.segment);
  if ((await retire(db, inputs)) !== inputs.length) throw new MergeOvertaken('its parts are merged already');
  const published = await db
    .updateTable('search_segments')
    .set({ complete, vocabulary })
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
    while (await search.write((db) => deleteSomeTerms(db, segment)));
    await search.write((db) => db.deleteFrom('search_segments').where('segment', '=', segment).execute());
  }
}

async function deleteSomeTerms(db: Db, segment: number): Promise<boolean> {
  const some = db
    .selectFrom('search_terms')
    .select('term')
    .where('segment', '=', segment)
    .limit(termsPerPage);
  const { numDeletedRows } = await db
    .deleteFrom('search_terms')
    .where('segment', '=', segment)
    .where('term', 'in', some)
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
      let after = '';
      while (true) {
        const page = await search.snapshot((db) =>
          db
            .selectFrom('search_terms')
            .select(['term', 'notes', 'postings'])
            .where('segment', '=', id)
            .where('term', '>', after)
            .orderBy('term')
            .limit(termsPerPage)
            .execute(),
        );
        for (const { term, notes, postings } of page)
          yield { term, postings: decodePostings(postings, notes) };
        const last = page.at(-1);
        if (!last) return;
        after = last.term;
      }
    },
  };
}

/** Both databases order text by its bytes in UTF-8; JavaScript would put 𐐨 before U+E000. */
export function compareCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return inUtf8Order(a) - inUtf8Order(b);
  }
  return one.length - other.length;
}

const inUtf8Order = (unit: number) => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit);

function* inParts<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += rowsPerWrite) yield items.slice(at, at + rowsPerWrite);
}
