import { maxTotal } from '../../../domain/note.ts';
import type { Language } from '../analyse/languages.ts';
import { stemOf } from '../analyse/stemmer.ts';
import type { Postings } from '../index/postings.ts';
import {
  addWord,
  bestOf,
  byScore,
  countLive,
  createScores,
  type Hit,
  idf,
  type LiveSegment,
  type Scores,
} from './bm25.ts';
import type { Vocabulary } from './fuzzy.ts';
import { maxSentenceWords, type SearchQuery } from './query.ts';
import { type ResolveOptions, resolveQuery, type WeightedTerm } from './resolve.ts';

/** The index of one owner's notes in one snapshot. */
export interface OwnerIndex {
  readonly segments: readonly LiveSegment[];
  /** How many notes have each term, dead ones included. Terms that no note has are left out. */
  documentFrequencies(terms: readonly string[]): Promise<Map<string, number>>;
  /** By term, then by segment. */
  postings(terms: readonly string[]): Promise<Map<string, (Postings | undefined)[]>>;
  /** Terms with this prefix, at most `limit` of each segment. */
  beginningWith(prefix: string, limit: number): Promise<string[]>;
  /** By segment. */
  vocabularies(): Promise<Vocabulary[]>;
  /** The entries whose text contains every phrase in one of its variants. */
  matchingPhrases(entries: readonly number[], phrases: readonly string[][]): Promise<number[]>;
}

interface RankOptions extends ResolveOptions {
  limit: number;
  /** Other entries are left out, but still count for the idf. */
  only?: ReadonlySet<number> | undefined;
}

interface Candidate extends Hit {
  /** Words of the note. */
  length: number;
}

interface Ranking {
  hits: Hit[];
  total: number;
  /** False if the time was up before all words of the query were evaluated. */
  complete: boolean;
  /** The terms that the words of the query were resolved to. */
  terms: Set<string>;
  /** The languages of the owner's notes. */
  noteLanguages: Language[];
}

const [notesPerBatch, wordsPerBatch] = [1_000, 200_000];

/** BM25: every word of the query adds to a note's score, the more the rarer it is among the owner's notes. */
export async function rank(index: OwnerIndex, query: SearchQuery, options: RankOptions): Promise<Ranking> {
  const { notes, averageLength } = totalsOf(index.segments);
  if (notes === 0) return { hits: [], total: 0, complete: true, terms: new Set(), noteLanguages: [] };
  const { words, phrases, noteLanguages, ...resolved } = await resolveQuery(index, query, notes, options);
  const terms = new Set(words.flat().map(({ term }) => term));
  const tables = index.segments.map((segment) => createScores(segment, averageLength));
  const worths: number[] = [];
  let { complete } = resolved;
  // Rarest first: if time runs out, the words that matter least are skipped.
  for (const [at, alternatives] of words.entries()) {
    if (at > 0 && options.isLate()) {
      complete = false;
      break;
    }
    worths.push(await addToAll(index, tables, alternatives, notes));
  }
  if (phrases.length === 0) {
    const { limit, only } = options;
    return {
      ...bestOf(tables, { limit, only, mostWorth: sentenceWorth(worths) }),
      complete,
      terms,
      noteLanguages,
    };
  }
  const candidates = await havingAllTerms(index, tables, phrases.flat(), options.only);
  const variants = query.phrases.map((phrase) => variantsOf(phrase, noteLanguages));
  const checked = await keepPhrases(index, candidates, variants, options);
  const hits = checked.kept.slice(0, options.limit);
  return { hits, total: checked.kept.length, complete: complete && checked.complete, terms, noteLanguages };
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

/** What a note is worth that has the words of a whole sentence, the rarest of the query. */
const sentenceWorth = (worths: number[]) =>
  worths
    .sort((one, other) => other - one)
    .slice(0, maxSentenceWords)
    .reduce((sum, worth) => sum + worth, 0);

/** Adds a word to the scores of all segments. Returns what its best alternative is worth. */
async function addToAll(
  index: OwnerIndex,
  tables: readonly Scores[],
  wanted: readonly WeightedTerm[],
  notes: number,
): Promise<number> {
  const found = await index.postings(wanted.map(({ term }) => term));
  const worths = wanted.map(({ term, weight }) => {
    const bySegment = found.get(term) ?? [];
    const having = bySegment.reduce(
      (sum, postings, at) => sum + countLive(postings, tables[at]?.segment.dead),
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
  return Math.max(0, ...worths);
}

/** The notes that have every word of the phrases, in any of its stems. */
async function havingAllTerms(
  index: OwnerIndex,
  tables: readonly Scores[],
  words: readonly WeightedTerm[][],
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

/** Checks the best first, because time may run out, and stops when more than `maxTotal` match. */
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
    const matching = new Set(
      await index.matchingPhrases(
        batch.map(({ entry }) => entry),
        phrases,
      ),
    );
    kept.push(...batch.filter(({ entry }) => matching.has(entry)));
    if (kept.length > maxTotal) break;
  }
  return { kept, complete: true };
}

/** Batches whose texts can be searched in some milliseconds. */
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

/** The phrase as stems of each language. */
const variantsOf = (words: readonly string[], noteLanguages: readonly Language[]): string[] => [
  ...new Set(noteLanguages.map((language) => ` ${words.map((word) => stemOf(word, language)).join(' ')} `)),
];
