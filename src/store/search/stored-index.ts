import { createVocabulary, type Vocabulary } from '../../domain/search/fuzzy.ts';
import { createMemoryIndex, joinIndexes } from '../../domain/search/memory-index.ts';
import { decodePostings, type Postings, type Segment } from '../../domain/search/postings.ts';
import type { LiveSegment, OwnerIndex } from '../../domain/search/rank.ts';
import { createCache } from '../../lib/cache.ts';
import type { Db } from '../database.ts';

/** What a thread keeps of what it has read: segments never change, and fresh entries have their own numbers. */
export interface IndexCache {
  segments: ReturnType<typeof createCache<number, Segment>>;
  vocabularies: ReturnType<typeof createCache<number, Vocabulary>>;
  fresh: ReturnType<typeof createCache<string, OwnerIndex>>;
}

const maxSegmentBytes = 48_000_000;
const maxVocabularyBytes = 48_000_000;
const maxFreshBytes = 32_000_000;

export const createIndexCache = (): IndexCache => ({
  segments: createCache(maxSegmentBytes),
  vocabularies: createCache(maxVocabularyBytes),
  fresh: createCache(maxFreshBytes),
});

/** The owner's index at this moment. `db` is one snapshot for as long as the index is read. */
export async function openOwnerIndex(
  db: Db,
  ownerId: string,
  cache: IndexCache,
): Promise<{ index: OwnerIndex; freshNotes: number }> {
  const fresh = await openFresh(db, ownerId, cache);
  const stored = await openStored(db, ownerId, cache);
  return { index: joinIndexes([stored, fresh.index]), freshNotes: fresh.notes };
}

async function openFresh(db: Db, ownerId: string, cache: IndexCache) {
  const rows = await db
    .selectFrom('search_fresh')
    .select('entry')
    .where('owner_id', '=', ownerId)
    .orderBy('entry')
    .execute();
  const key = rows.map(({ entry }) => entry).join(' ');
  const known = cache.fresh.get(key);
  if (known) return { index: known, notes: rows.length };
  const texts = await db
    .selectFrom('search_fresh as fresh')
    .innerJoin('search_entries as entries', 'entries.entry', 'fresh.entry')
    .select(['entries.entry', 'entries.text'])
    .where('fresh.owner_id', '=', ownerId)
    .execute();
  const index = createMemoryIndex(texts);
  cache.fresh.set(
    key,
    index,
    texts.reduce((sum, { text }) => sum + 4 * text.length, key.length),
  );
  return { index, notes: rows.length };
}

async function openStored(db: Db, ownerId: string, cache: IndexCache): Promise<OwnerIndex> {
  const rows = await db
    .selectFrom('search_segments')
    .select('segment')
    .where('owner_id', '=', ownerId)
    .where('complete', '=', 1)
    .orderBy('segment')
    .execute();
  const ids = rows.map(({ segment }) => segment);
  const gone = await db.selectFrom('search_dead').select('entry').where('owner_id', '=', ownerId).execute();
  const segments: LiveSegment[] = [];
  for (const id of ids) {
    const segment = await readSegment(db, id, cache);
    segments.push({
      ...segment,
      dead: placesOf(
        gone.map(({ entry }) => entry),
        segment.entries,
      ),
    });
  }
  const ofOwner = <Item>(bySegment: Map<number, Item>) => ids.map((id) => bySegment.get(id));

  return {
    segments,
    async frequencies(terms) {
      if (ids.length === 0 || terms.length === 0) return new Map();
      const found = await db
        .selectFrom('search_terms')
        .select(['term', 'notes'])
        .where('segment', 'in', ids)
        .where('term', 'in', terms)
        .execute();
      const sums = new Map<string, number>();
      for (const { term, notes } of found) sums.set(term, (sums.get(term) ?? 0) + notes);
      return sums;
    },
    async postings(terms) {
      if (ids.length === 0) return new Map();
      const found = await db
        .selectFrom('search_terms')
        .select(['segment', 'term', 'notes', 'postings'])
        .where('segment', 'in', ids)
        .where('term', 'in', terms)
        .execute();
      const byTerm = new Map<string, Map<number, Postings>>(terms.map((term) => [term, new Map()]));
      for (const { segment, term, notes, postings } of found)
        byTerm.get(term)?.set(segment, decodePostings(postings, notes));
      return new Map(Array.from(byTerm, ([term, bySegment]) => [term, ofOwner(bySegment)]));
    },
    async beginningWith(prefix, limit) {
      const found: string[] = [];
      for (const id of ids) {
        const some = await db
          .selectFrom('search_terms')
          .select('term')
          .where('segment', '=', id)
          .where('term', '>=', prefix)
          .where('term', '<', `${prefix}\u{10FFFF}`)
          .orderBy('notes', 'desc')
          .orderBy('term')
          .limit(limit)
          .execute();
        found.push(...some.map(({ term }) => term));
      }
      return found;
    },
    async vocabularies() {
      const all: Vocabulary[] = [];
      for (const id of ids) all.push(await readVocabulary(db, id, cache));
      return all;
    },
    async texts(entries) {
      const found = await db
        .selectFrom('search_entries')
        .select(['entry', 'text'])
        .where('entry', 'in', entries)
        .execute();
      return new Map(found.map(({ entry, text }) => [entry, text]));
    },
  };
}

async function readSegment(db: Db, id: number, cache: IndexCache): Promise<Segment> {
  const known = cache.segments.get(id);
  if (known) return known;
  const { entries, lengths } = await db
    .selectFrom('search_segments')
    .select(['entries', 'lengths'])
    .where('segment', '=', id)
    .executeTakeFirstOrThrow();
  // Copied, because an array of numbers must begin where its kind of number may stand in memory.
  const segment = {
    entries: new Float64Array(Uint8Array.from(entries).buffer),
    lengths: new Uint32Array(Uint8Array.from(lengths).buffer),
  };
  cache.segments.set(id, segment, entries.length + lengths.length);
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
