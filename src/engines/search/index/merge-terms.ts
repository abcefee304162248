import type { SearchDatabase } from '../thread/thread-database.ts';
import { compareCodePoints, createBlockWriter, readBlock, sortTerms, type TermPostings } from './blocks.ts';
import { surfaceForms } from './memory-index.ts';
import type { BuiltSegment, Postings, Segment } from './postings.ts';

const [blocksPerRead, blocksPerWrite] = [64, 64];
// Fuzzy matches are for words of four letters and more without digits.
const correctable = /^\P{N}{4,}$/u;

/** An input of a merge. */
export interface Source extends Segment {
  /** Terms in the order of their code points, in batches: each `await` costs time. */
  terms(): AsyncIterable<TermPostings[]>;
}

/** Writes the blocks of a segment, and returns the columns of its row that describe its terms. */
export async function writeTerms(
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
  const words = [...surfaceForms(terms)].filter((word) => correctable.test(word));
  return { first_terms: firstTerms.join('\n'), vocabulary: words.join('\n') };
}

/** Each term once, with its posting list in each source that has it. */
async function* inStep(sources: readonly Source[]) {
  const readers = await Promise.all(sources.map(readSource));
  while (true) {
    let least: string | undefined;
    for (const { head } of readers)
      if (head && (least === undefined || compareCodePoints(head.term, least) < 0)) least = head.term;
    if (least === undefined) return;
    const found: (Postings | undefined)[] = sources.map(() => undefined);
    for (const [at, reader] of readers.entries()) {
      if (reader.head?.term !== least) continue;
      found[at] = reader.head.postings;
      if (!reader.step()) await reader.refill();
    }
    yield { term: least, found };
  }
}

/** The terms of a source one by one. `step` returns false when the batch is used up. */
async function readSource(source: Source) {
  const batches = source.terms()[Symbol.asyncIterator]();
  let batch: TermPostings[] = [];
  let at = 0;
  const reader = {
    head: batch[0],
    step(): boolean {
      at += 1;
      reader.head = batch[at];
      return reader.head !== undefined;
    },
    async refill(): Promise<void> {
      const { done, value } = await batches.next();
      batch = done ? [] : value;
      at = 0;
      reader.head = batch[0];
      if (!done && batch.length === 0) await reader.refill();
    },
  };
  await reader.refill();
  return reader;
}

export function memorySource({ terms, postings: postingsOf, ...segment }: BuiltSegment): Source {
  return {
    ...segment,
    async *terms() {
      yield sortTerms([...terms]).flatMap((term) => {
        const postings = postingsOf(term);
        return postings ? [{ term, postings }] : [];
      });
    },
  };
}

export function storedSource(search: SearchDatabase, id: number, segment: Segment): Source {
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
        const last = rows.at(-1);
        if (!last) return;
        after = last.block;
        yield rows.flatMap(({ data }) => {
          const block = readBlock(data);
          return block.terms().flatMap((term) => {
            const postings = block.postings(term);
            return postings ? [{ term, postings }] : [];
          });
        });
      }
    },
  };
}

/** The live notes of all sources in order. `moves` has the new ordinal of each note of each source, -1 for dead ones. */
export function joinNotes(sources: readonly Segment[], dead: ReadonlySet<number>) {
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

/** Joins the posting lists of a term, with the new ordinals. */
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
