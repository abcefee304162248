import { maxTotal } from '../../domain/note.ts';
import type { Language } from '../analyse/languages.ts';
import { stemOf } from '../analyse/stemmer.ts';
import type { Postings } from '../index/postings.ts';
import {
  addWord,
  bestOf,
  byScore,
  createScores,
  type Hit,
  idf,
  type LiveSegment,
  livingIn,
  type Scores,
} from './bm25.ts';
import type { Vocabulary } from './fuzzy.ts';
import type { SearchQuery } from './query.ts';
import { type ResolveOptions, resolveQuery, type Wanted } from './resolve.ts';

/** One owner's notes as they are indexed at one moment. */
export interface OwnerIndex {
  readonly segments: readonly LiveSegment[];
  /** In how many notes each of the terms stands, dead ones included; terms that stand in none are left out. */
  frequencies(terms: readonly string[]): Promise<Map<string, number>>;
  /** By term, then by segment. */
  postings(terms: readonly string[]): Promise<Map<string, (Postings | undefined)[]>>;
  /** Terms that begin so, at most `limit` of each segment. */
  beginningWith(prefix: string, limit: number): Promise<string[]>;
  /** By segment. */
  vocabularies(): Promise<Vocabulary[]>;
  /** Those of the entries whose text holds every phrase in one of its ways. */
  holding(entries: readonly number[], phrases: readonly string[][]): Promise<number[]>;
}

export interface RankOptions extends ResolveOptions {
  limit: number;
  /** When set, other entries are left out; how rare a word is does not depend on it. */
  only?: ReadonlySet<number> | undefined;
}

interface Candidate extends Hit {
  /** Words of the note. */
  length: number;
}

export interface Ranking {
  hits: Hit[];
  total: number;
  /** False when the time was up before all words of the query were looked at. */
  complete: boolean;
  /** The terms that the words of the query stood for. */
  terms: Set<string>;
  /** The languages of the owner's notes. */
  spoken: Language[];
}

const [notesPerBatch, wordsPerBatch] = [1_000, 200_000];

/** BM25: every word of the query adds to a note's score, the more the rarer it is among the owner's notes. */
export async function rank(index: OwnerIndex, query: SearchQuery, options: RankOptions): Promise<Ranking> {
  const { notes, averageLength } = totalsOf(index.segments);
  if (notes === 0) return { hits: [], total: 0, complete: true, terms: new Set(), spoken: [] };
  const { words, phrases, spoken, ...resolved } = await resolveQuery(index, query, notes, options);
  const terms = new Set(words.flat().map(({ term }) => term));
  const tables = index.segments.map((segment) => createScores(segment, averageLength));
  let { complete } = resolved;
  // The rarest first: when time runs out, the words that tell least are those not looked at.
  for (const [at, alternatives] of words.entries()) {
    if (at > 0 && options.isLate()) {
      complete = false;
      break;
    }
    await addToAll(index, tables, alternatives, notes);
  }
  if (phrases.length === 0)
    return { ...bestOf(tables, options.limit, options.only), complete, terms, spoken };
  const candidates = await holdingAll(index, tables, phrases.flat(), options.only);
  const ways = query.phrases.map((phrase) => waysOf(phrase, spoken));
  const checked = await keepPhrases(index, candidates, ways, options);
  const hits = checked.kept.slice(0, options.limit);
  return { hits, total: checked.kept.length, complete: complete && checked.complete, terms, spoken };
}

function totalsOf(segments: readonly LiveSegment[]) {
  let [notes, words] = [0, 0];
  for (const segment of segments) {
    notes += segment.lengths.length - segment.dead.size;
    words += segment.words;
    for (const place of segment.dead) words -= segment.lengths[place] ?? 0;
  }
  return { notes, averageLength: Math.max(1, words / Math.max(1, notes)) };
}

/** Adds a word to the scores of all segments. */
async function addToAll(
  index: OwnerIndex,
  tables: readonly Scores[],
  wanted: readonly Wanted[],
  notes: number,
): Promise<void> {
  const found = await index.postings(wanted.map(({ term }) => term));
  const worths = wanted.map(({ term, weight }) => {
    const bySegment = found.get(term) ?? [];
    const having = bySegment.reduce(
      (sum, postings, at) => sum + livingIn(postings, tables[at]?.segment.dead),
      0,
    );
    return weight * idf(notes, having);
  });
  for (const [at, table] of tables.entries())
    addWord(
      table,
      wanted.flatMap(({ term }, which) => {
        const postings = found.get(term)?.[at];
        return postings ? [{ postings, worth: worths[which] ?? 0 }] : [];
      }),
    );
}

/** The notes that have every word of the phrases, each in one of its stems. */
async function holdingAll(
  index: OwnerIndex,
  tables: readonly Scores[],
  words: readonly Wanted[][],
  only: ReadonlySet<number> | undefined,
): Promise<Candidate[]> {
  const found = await index.postings([...new Set(words.flat().map(({ term }) => term))]);
  const counts = tables.map(({ scores }) => new Uint16Array(scores.length));
  for (const [had, alternatives] of words.entries())
    for (const { term } of alternatives)
      for (const [at, postings] of (found.get(term) ?? []).entries()) {
        const count = counts[at];
        for (const place of postings?.places ?? []) if (count?.[place] === had) count[place] = had + 1;
      }
  return tables.flatMap(({ segment, scores }, at) => {
    const candidates: Candidate[] = [];
    counts[at]?.forEach((count, place) => {
      const entry = segment.entries[place] ?? 0;
      if (count !== words.length || segment.dead.has(place) || only?.has(entry) === false) return;
      candidates.push({ entry, score: scores[place] ?? 0, length: segment.lengths[place] ?? 0 });
    });
    return candidates;
  });
}

/** The best first, because time may run out; no more than need to be counted. */
async function keepPhrases(
  index: OwnerIndex,
  candidates: Candidate[],
  phrases: readonly string[][],
  { isLate }: RankOptions,
) {
  candidates.sort(byScore);
  const kept: Hit[] = [];
  for (const batch of batchesOf(candidates)) {
    if (isLate()) return { kept, complete: false };
    const holding = new Set(
      await index.holding(
        batch.map(({ entry }) => entry),
        phrases,
      ),
    );
    kept.push(...batch.filter(({ entry }) => holding.has(entry)));
    if (kept.length > maxTotal) break;
  }
  return { kept, complete: true };
}

/** So many that their texts are looked through in some milliseconds. */
function* batchesOf(candidates: readonly Candidate[]): Generator<Candidate[]> {
  let batch: Candidate[] = [];
  let words = 0;
  for (const candidate of candidates) {
    batch.push(candidate);
    words += candidate.length;
    if (words < wordsPerBatch && batch.length < notesPerBatch) continue;
    yield batch;
    batch = [];
    words = 0;
  }
  if (batch.length > 0) yield batch;
}

/** How a phrase stands in notes of each of the languages. */
const waysOf = (words: readonly string[], spoken: readonly Language[]): string[] => [
  ...new Set(spoken.map((language) => ` ${words.map((word) => stemOf(word, language)).join(' ')} `)),
];
