import { createCache } from '../../../lib/cache.ts';
import type { Db } from '../../../platform/database/schema.ts';
import type { LiveSegment } from '../rank/bm25.ts';
import { createVocabulary, type Vocabulary } from '../rank/fuzzy.ts';
import type { OwnerIndex } from '../rank/rank.ts';
import type { SearchDatabase } from '../thread/thread-database.ts';
import { type Block, blockOf, readBlock } from './blocks.ts';
import { type FreshCache, joinIndexes, openFresh } from './memory-index.ts';
import { type Postings, type Segment, sumOf } from './postings.ts';

interface StoredSegment extends Segment {
  id: number;
  words: number;
  /** The first term of each block. */
  firstTerms: string[];
}

/** What a thread keeps between searches. Nothing goes stale: segments never change, and a changed note gets a new entry. */
export interface IndexCache {
  segments: ReturnType<typeof createCache<number, StoredSegment>>;
  vocabularies: ReturnType<typeof createCache<number, Vocabulary>>;
  /** By segment and number. Most queries read the blocks of the same common words. */
  blocks: ReturnType<typeof createCache<string, Block>>;
  /** The segments of an owner at their last search. */
  owned: ReturnType<typeof createCache<string, number[]>>;
  fresh: FreshCache;
}

const maxBlocksOfBeginning = 64;
const maxSegmentBytes = 48_000_000;
const maxVocabularyBytes = 48_000_000;
const maxBlockBytes = 48_000_000;
const maxOwnedBytes = 1_000_000;
const maxFreshBytes = 32_000_000;

export const createIndexCache = (): IndexCache => ({
  segments: createCache(maxSegmentBytes),
  vocabularies: createCache(maxVocabularyBytes),
  blocks: createCache(maxBlockBytes),
  owned: createCache(maxOwnedBytes),
  fresh: createCache(maxFreshBytes),
});

/** The owner's index. `db` must be one snapshot while the index is used. */
export async function openOwnerIndex(
  db: Db,
  ownerId: string,
  where: SearchDatabase['where'],
  cache: IndexCache,
): Promise<{ index: OwnerIndex; freshNotes: number }> {
  const fresh = await openFresh(db, ownerId, where, cache.fresh);
  const stored = await openStored(db, ownerId, where, cache);
  return { index: joinIndexes([stored, ...fresh.parts]), freshNotes: fresh.notes };
}

async function openStored(
  db: Db,
  ownerId: string,
  where: SearchDatabase['where'],
  cache: IndexCache,
): Promise<OwnerIndex> {
  const rows = await db
    .selectFrom('search_segments')
    .select('segment')
    .where('owner_id', '=', ownerId)
    .where('complete', '=', 1)
    .orderBy('segment')
    .execute();
  const ids = rows.map(({ segment }) => segment);
  forgetMerged(ownerId, ids, cache);
  const gone = await db.selectFrom('search_dead').select('entry').where('owner_id', '=', ownerId).execute();
  const segments: LiveSegment[] = [];
  const stored: StoredSegment[] = [];
  for (const id of ids) {
    const segment = await readSegment(db, id, cache);
    stored.push(segment);
    segments.push({
      ...segment,
      dead: placesOf(
        gone.map(({ entry }) => entry),
        segment.entries,
      ),
    });
  }
  const blocks = createBlockReader(db, cache);
  const blocksWith = (term: string) =>
    stored.map(({ id, firstTerms }) => blocks.loaded(id, blockOf(firstTerms, term)));

  return {
    segments,
    async documentFrequencies(terms) {
      await blocks.load(stored, terms);
      const sums = new Map<string, number>();
      for (const term of terms)
        for (const block of blocksWith(term)) {
          const notes = block?.frequency(term);
          if (notes !== undefined) sums.set(term, (sums.get(term) ?? 0) + notes);
        }
      return sums;
    },
    async postings(terms) {
      await blocks.load(stored, terms);
      const found = new Map<string, (Postings | undefined)[]>();
      for (const term of terms)
        found.set(
          term,
          blocksWith(term).map((block) => block?.postings(term)),
        );
      return found;
    },
    async beginningWith(prefix, limit) {
      const found: string[] = [];
      for (const { id, firstTerms } of stored) {
        const from = Math.max(0, blockOf(firstTerms, prefix));
        const to = Math.min(from + maxBlocksOfBeginning, blockOf(firstTerms, `${prefix}\u{10FFFF}`) + 1);
        const some: { term: string; notes: number }[] = [];
        for (const block of await blocks.range(id, from, to))
          for (const term of block.terms())
            if (term.startsWith(prefix)) some.push({ term, notes: block.frequency(term) ?? 0 });
        some.sort((one, other) => other.notes - one.notes);
        found.push(...some.slice(0, limit).map(({ term }) => term));
      }
      return found;
    },
    async vocabularies() {
      const all: Vocabulary[] = [];
      for (const id of ids) all.push(await readVocabulary(db, id, cache));
      return all;
    },
    async matchingPhrases(entries, phrases) {
      const found = await db
        .selectFrom('search_entries')
        .select('entry')
        .where(where.isOneOf(entries))
        .where(({ and, or }) => and(phrases.map((variants) => or(variants.map(where.holds)))))
        .execute();
      return found.map(({ entry }) => entry);
    },
  };
}

/** Drops merged segments, which would fill the caches while a person writes much. */
function forgetMerged(ownerId: string, ids: number[], cache: IndexCache): void {
  const merged = new Set(cache.owned.get(ownerId)?.filter((id) => !ids.includes(id)));
  cache.owned.set(ownerId, ids, 100 + 8 * ids.length);
  if (merged.size === 0) return;
  cache.segments.forget((id) => merged.has(id));
  cache.vocabularies.forget((id) => merged.has(id));
  cache.blocks.forget((name) => merged.has(Number.parseInt(name, 10)));
}

/** Reads each block once in a search, and the blocks of many terms in one query. */
function createBlockReader(db: Db, cache: IndexCache) {
  const known = new Map<string, Block>();
  const nameOf = (segment: number, block: number) => `${segment}/${block}`;
  const isKnown = (name: string) => {
    const cached = known.get(name) ?? cache.blocks.get(name);
    if (cached) known.set(name, cached);
    return cached !== undefined;
  };
  const fetch = async (wanted: readonly { id: number; numbers: number[] }[]) => {
    const unknown = wanted
      .map(({ id, numbers }) => ({ id, numbers: numbers.filter((number) => !isKnown(nameOf(id, number))) }))
      .filter(({ numbers }) => numbers.length > 0);
    if (unknown.length === 0) return;
    const rows = await db
      .selectFrom('search_blocks')
      .select(['segment', 'block', 'data'])
      .where(({ or, and, eb }) =>
        or(unknown.map(({ id, numbers }) => and([eb('segment', '=', id), eb('block', 'in', numbers)]))),
      )
      .execute();
    for (const { segment, block, data } of rows) {
      const read = readBlock(data);
      known.set(nameOf(segment, block), read);
      cache.blocks.set(nameOf(segment, block), read, 3 * data.length);
    }
  };
  return {
    async load(stored: readonly StoredSegment[], terms: readonly string[]): Promise<void> {
      await fetch(
        stored.map(({ id, firstTerms }) => {
          const numbers = new Set(terms.map((term) => blockOf(firstTerms, term)));
          return { id, numbers: [...numbers].filter((number) => number >= 0) };
        }),
      );
    },
    /** The blocks `from` to `to`, without the last. */
    async range(id: number, from: number, to: number): Promise<Block[]> {
      const numbers = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at);
      await fetch([{ id, numbers }]);
      return numbers.flatMap((number) => known.get(nameOf(id, number)) ?? []);
    },
    /** One that was loaded before. */
    loaded: (id: number, number: number): Block | undefined => known.get(nameOf(id, number)),
  };
}

async function readSegment(db: Db, id: number, cache: IndexCache): Promise<StoredSegment> {
  const known = cache.segments.get(id);
  if (known) return known;
  const { entries, lengths, first_terms } = await db
    .selectFrom('search_segments')
    .select(['entries', 'lengths', 'first_terms'])
    .where('segment', '=', id)
    .executeTakeFirstOrThrow();
  // Copied, because the start of a typed array must be aligned.
  const numbers = new Uint32Array(Uint8Array.from(lengths).buffer);
  const segment = {
    id,
    firstTerms: first_terms.split('\n'),
    entries: new Float64Array(Uint8Array.from(entries).buffer),
    lengths: numbers,
    words: sumOf(numbers),
  };
  cache.segments.set(id, segment, entries.length + lengths.length + 4 * first_terms.length);
  return segment;
}

async function readVocabulary(db: Db, id: number, cache: IndexCache): Promise<Vocabulary> {
  const known = cache.vocabularies.get(id);
  if (known) return known;
  const { vocabulary: words } = await db
    .selectFrom('search_segments')
    .select('vocabulary')
    .where('segment', '=', id)
    .executeTakeFirstOrThrow();
  const vocabulary = createVocabulary(words.split('\n'));
  cache.vocabularies.set(id, vocabulary, 6 * words.length);
  return vocabulary;
}

export function placesOf(entries: readonly number[], inSegment: Float64Array): Set<number> {
  const places = new Set<number>();
  for (const entry of entries) {
    let [low, high] = [0, inSegment.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((inSegment[middle] ?? 0) < entry) low = middle + 1;
      else high = middle;
    }
    if (inSegment[low] === entry) places.add(low);
  }
  return places;
}
