import type { Postings, Segment } from '../index/postings.ts';

// The usual parameters of BM25.
const [k1, b] = [1.2, 0.75];
/** Notes whose terms are worth less than this share of the best note's are left out: decision 70. */
const leastShareOfBest = 0.3;

/** BM25's inverse document frequency of a term that `having` of `notes` notes have. */
export const idf = (notes: number, having: number) => Math.log(1 + (notes - having + 0.5) / (having + 0.5));

/** A segment in one snapshot. */
export interface LiveSegment extends Segment {
  /** The sum of `lengths`, dead notes included. */
  readonly words: number;
  /** Ordinals of notes that are deleted or have a newer entry. */
  readonly dead: ReadonlySet<number>;
}

/** The document frequency without dead notes. */
export function countLive(postings: Postings | undefined, dead: ReadonlySet<number> = new Set()): number {
  if (!postings) return 0;
  if (dead.size === 0) return postings.places.length;
  return postings.places.reduce((sum, place) => sum + (dead.has(place) ? 0 : 1), 0);
}

export interface Hit {
  entry: number;
  score: number;
}

/** The scores of a segment's notes, by ordinal, while a query is evaluated. */
export interface Scores {
  readonly segment: LiveSegment;
  readonly scores: Float64Array;
  /** The sum of idf times weight of the matching words, whatever their term frequency. */
  readonly worths: Float64Array;
  /** BM25's length norm, which it adds to the term frequency. */
  readonly norms: Float64Array;
  /** Of the current word of the query. Zero between two words. */
  readonly gains: Float64Array;
  readonly gainedWorths: Float64Array;
}

/** A term that may match a word of the query. */
interface Alternative {
  postings: Postings;
  worth: number;
}

export function createScores(segment: LiveSegment, averageLength: number): Scores {
  const { lengths } = segment;
  const norms = new Float64Array(lengths.length);
  const [base, perWord] = [k1 * (1 - b), (k1 * b) / averageLength];
  for (let place = 0; place < norms.length; place += 1) norms[place] = base + perWord * (lengths[place] ?? 0);
  const zeros = () => new Float64Array(lengths.length);
  return { segment, norms, scores: zeros(), worths: zeros(), gains: zeros(), gainedWorths: zeros() };
}

/** Adds a word of the query. In each note only its best alternative counts. */
export function addWord(table: Scores, alternatives: readonly Alternative[]): void {
  const { scores, worths, norms, gains, gainedWorths } = table;
  const [only, ...others] = alternatives;
  if (only && others.length === 0) {
    const { postings, worth } = only;
    const { places, counts } = postings;
    for (let at = 0; at < places.length; at += 1) {
      const place = places[at] ?? 0;
      const count = counts[at] ?? 0;
      scores[place] = (scores[place] ?? 0) + (worth * (k1 + 1) * count) / (count + (norms[place] ?? 0));
      worths[place] = (worths[place] ?? 0) + worth;
    }
    return;
  }
  for (const { postings, worth } of alternatives) {
    const { places, counts } = postings;
    for (let at = 0; at < places.length; at += 1) {
      const place = places[at] ?? 0;
      const count = counts[at] ?? 0;
      const gain = (worth * (k1 + 1) * count) / (count + (norms[place] ?? 0));
      if (gain <= (gains[place] ?? 0)) continue;
      gains[place] = gain;
      gainedWorths[place] = worth;
    }
  }
  for (const { postings } of alternatives)
    for (const place of postings.places) {
      scores[place] = (scores[place] ?? 0) + (gains[place] ?? 0);
      worths[place] = (worths[place] ?? 0) + (gainedWorths[place] ?? 0);
      gains[place] = 0;
      gainedWorths[place] = 0;
    }
}

export const byScore = (one: Hit, other: Hit) => other.score - one.score || other.entry - one.entry;

/** The best notes, and how many are above the cut. Of equal ones the newer comes first. */
export function bestOf(
  tables: readonly Scores[],
  { limit, only, mostWorth }: { limit: number; only: ReadonlySet<number> | undefined; mostWorth: number },
): { hits: Hit[]; total: number } {
  const isOut = ({ dead, entries }: LiveSegment, place: number) =>
    (dead.size > 0 && dead.has(place)) || (only !== undefined && !only.has(entries[place] ?? 0));
  let best = 0;
  for (const { segment, worths } of tables)
    for (let place = 0; place < worths.length; place += 1) {
      const worth = worths[place] ?? 0;
      if (worth > best && !isOut(segment, place)) best = worth;
    }
  const hits: Hit[] = [];
  if (best === 0) return { hits, total: 0 };
  const least = Math.min(best, mostWorth) * leastShareOfBest;
  let total = 0;
  let worst: Hit | undefined;
  // Newest first: then most notes with an equal score are not inserted at all.
  for (const { segment, scores, worths } of tables.toReversed())
    for (let place = scores.length - 1; place >= 0; place -= 1) {
      if ((worths[place] ?? 0) < least || isOut(segment, place)) continue;
      total += 1;
      const score = scores[place] ?? 0;
      if (worst && score < worst.score) continue;
      const hit = { entry: segment.entries[place] ?? 0, score };
      if (worst && byScore(worst, hit) < 0) continue;
      const at = hits.findLastIndex((other) => byScore(other, hit) < 0) + 1;
      hits.splice(at, 0, hit);
      if (hits.length > limit) hits.pop();
      if (hits.length === limit) worst = hits.at(-1);
    }
  return { hits, total };
}
