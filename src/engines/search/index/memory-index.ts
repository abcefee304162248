import type { createCache } from '../../../lib/cache.ts';
import type { Db } from '../../../platform/database/schema.ts';
import { formMarker, isAboutNote } from '../analyse/analyser.ts';
import { countLive } from '../rank/bm25.ts';
import { createVocabulary, type Vocabulary } from '../rank/fuzzy.ts';
import type { OwnerIndex } from '../rank/rank.ts';
import type { SearchDatabase } from '../thread/thread-database.ts';
import { buildSegment, type IndexedText, sumOf } from './postings.ts';

interface MemoryIndex extends OwnerIndex {
  /** The same index for its notes that are still there. */
  among(entries: ReadonlySet<number>): OwnerIndex;
}

/** An index of fresh notes. */
export function createMemoryIndex(indexed: readonly IndexedText[]): MemoryIndex {
  const { terms, postings, ...segment } = buildSegment(indexed);
  const texts = new Map(indexed.map(({ entry, text }) => [entry, text]));
  const words = sumOf(segment.lengths);
  let sorted: string[] | undefined;
  let vocabulary: Vocabulary | undefined;

  function without(dead: ReadonlySet<number>): OwnerIndex {
    const liveNotesWith = (term: string) => countLive(postings(term), dead);
    return {
      segments: [{ ...segment, words, dead }],
      async documentFrequencies(asked) {
        const found = asked.map((term) => [term, liveNotesWith(term)] as const);
        return new Map(found.filter(([, notes]) => notes > 0));
      },
      async postings(asked) {
        return new Map(asked.map((term) => [term, [postings(term)]]));
      },
      async beginningWith(prefix, limit) {
        sorted ??= terms.toSorted();
        return sorted.filter((term) => term.startsWith(prefix) && liveNotesWith(term) > 0).slice(0, limit);
      },
      async vocabularies() {
        vocabulary ??= createVocabulary(surfaceForms(terms));
        return [vocabulary];
      },
      async matchingPhrases(entries, phrases) {
        const holds = (text: string) =>
          phrases.every((variants) => variants.some((variant) => text.includes(variant)));
        return entries.filter((entry) => holds(texts.get(entry) ?? ''));
      },
    };
  }

  return {
    ...without(new Set()),
    among(entries) {
      const dead = new Set<number>();
      for (const [place, entry] of segment.entries.entries()) if (!entries.has(entry)) dead.add(place);
      return without(dead);
    },
  };
}

/** The words as they are written: marked forms without their mark, and stems that equal their word. */
export function surfaceForms(terms: Iterable<string>): Set<string> {
  const words = new Set<string>();
  for (const term of terms)
    if (!isAboutNote(term)) words.add(term.startsWith(formMarker) ? term.slice(1) : term);
  return words;
}

/** Several parts of an owner's index as one. */
export function joinIndexes(parts: readonly OwnerIndex[]): OwnerIndex {
  const all = async <Item>(ask: (part: OwnerIndex) => Promise<Item[]>) =>
    (await Promise.all(parts.map(ask))).flat();
  return {
    segments: parts.flatMap(({ segments }) => segments),
    async documentFrequencies(terms) {
      const sums = new Map<string, number>();
      for (const part of parts)
        for (const [term, notes] of await part.documentFrequencies(terms))
          sums.set(term, (sums.get(term) ?? 0) + notes);
      return sums;
    },
    async postings(terms) {
      const found = await Promise.all(parts.map((part) => part.postings(terms)));
      const none = parts.map(({ segments }) => segments.map(() => undefined));
      return new Map(
        terms.map((term) => [term, found.flatMap((some, at) => some.get(term) ?? none[at] ?? [])]),
      );
    },
    beginningWith: (prefix, limit) => all((part) => part.beginningWith(prefix, limit)),
    vocabularies: () => all((part) => part.vocabularies()),
    matchingPhrases: (entries, phrases) => all((part) => part.matchingPhrases(entries, phrases)),
  };
}

/** Some entries and their index. */
interface Part {
  texts: ReadonlyMap<number, string>;
  index: MemoryIndex;
}

/** What was fresh at the owner's last search. The newest are apart: after a write only those are indexed again. */
interface Known {
  most: Part;
  newest: Part;
}

export type FreshCache = ReturnType<typeof createCache<string, Known>>;

const maxNewest = 64;
/** Measured with notes of 60 words: 28 for 64 notes, 22 for 256, 11 for 4,000. */
const bytesPerLetter = 22;
/** Two empty indexes, about. */
const bytesPerOwner = 4_000;

/** The index of the owner's fresh notes in the snapshot `db`. */
export async function openFresh(
  db: Db,
  ownerId: string,
  where: SearchDatabase['where'],
  cache: FreshCache,
): Promise<{ parts: OwnerIndex[]; notes: number }> {
  const rows = await db
    .selectFrom('search_fresh')
    .select('entry')
    .where('owner_id', '=', ownerId)
    .orderBy('entry')
    .execute();
  const fresh = new Set(rows.map(({ entry }) => entry));
  const known = cache.get(ownerId) ?? { most: partOf([]), newest: partOf([]) };
  const now = await follow(db, where, known, fresh);
  const letters = lettersIn(now.most) + lettersIn(now.newest);
  if (now !== known) cache.set(ownerId, now, bytesPerOwner + bytesPerLetter * letters);
  return { parts: [now.most.index.among(fresh), now.newest.index.among(fresh)], notes: fresh.size };
}

async function follow(
  db: Db,
  where: SearchDatabase['where'],
  known: Known,
  fresh: ReadonlySet<number>,
): Promise<Known> {
  const { most, newest } = known;
  const unknown = [...fresh].filter((entry) => !most.texts.has(entry) && !newest.texts.has(entry));
  const isMostlyGone = most.texts.size > 2 * fresh.size;
  if (unknown.length === 0 && !isMostlyGone) return known;
  const added = [...stillIn(newest, fresh), ...(await textsOf(db, where, unknown))];
  if (added.length <= maxNewest && !isMostlyGone) return { most, newest: partOf(added) };
  return { most: partOf([...stillIn(most, fresh), ...added]), newest: partOf([]) };
}

async function textsOf(
  db: Db,
  where: SearchDatabase['where'],
  entries: readonly number[],
): Promise<[entry: number, text: string][]> {
  if (entries.length === 0) return [];
  const rows = await db
    .selectFrom('search_entries')
    .select(['entry', 'text'])
    .where(where.isOneOf(entries))
    .execute();
  return rows.map(({ entry, text }) => [entry, text]);
}

const partOf = (texts: readonly [entry: number, text: string][]): Part => ({
  texts: new Map(texts),
  index: createMemoryIndex(texts.map(([entry, text]) => ({ entry, text }))),
});

const stillIn = ({ texts }: Part, fresh: ReadonlySet<number>) =>
  [...texts].filter(([entry]) => fresh.has(entry));

const lettersIn = ({ texts }: Part) => [...texts.values()].reduce((sum, text) => sum + text.length, 0);
