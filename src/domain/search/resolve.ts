import type { Vocabulary } from './fuzzy.ts';
import { formMarker } from './note-text.ts';
import type { QueryWord, SearchQuery } from './query.ts';
import { rarity } from './rarity.ts';
import { stemOf } from './stems.ts';

/** A term of the index that may stand for a word of the query, and how sure that is. */
export interface Wanted {
  term: string;
  weight: number;
}

interface Terms {
  frequencies(terms: readonly string[]): Promise<Map<string, number>>;
  beginningWith(prefix: string, limit: number): Promise<string[]>;
  vocabularies(): Promise<Vocabulary[]>;
}

const maxBeginnings = 40;
const maxNear = 12;
const weightOf = { beginning: 0.8, nearest: 0.8, near: 0.4, part: 0.5 };
const [minLettersForOneEdit, minLettersForTwo] = [4, 8];
const minPartLetters = 2;
const minTailLetters = 5;
const hasDigit = /\p{N}/u;

/**
 * The terms for each word of a query, the rarest word first. A word that the owner's notes have stands for itself.
 * Any other is taken for the beginning of words when it may be unfinished, else for a mistyped or joined one.
 */
export async function resolveWords(index: Terms, query: SearchQuery, notes: number): Promise<Wanted[][]> {
  const { words, phrases } = query;
  const asked = words.flatMap(({ stems, withNext }) => (withNext === null ? stems : [...stems, withNext]));
  const known = await index.frequencies([...new Set([...asked, ...phrases.flat()])]);
  const resolved: Wanted[][] = phrases.flat().map((term) => [{ term, weight: 1 }]);
  for (const [at, word] of words.entries()) {
    const own = word.stems.filter((term) => known.has(term));
    const wanted = own.map((term) => ({ term, weight: 1 }));
    const worth = rarity(notes, Math.max(0, ...own.map((term) => known.get(term) ?? 0)));
    for (const term of new Set([word.withNext, words[at - 1]?.withNext ?? null]))
      if (term !== null && known.has(term) && !own.includes(term))
        // `la quelle` is not worth more for being `laquelle` somewhere: a joined word counts as the word it stands for.
        wanted.push({ term, weight: Math.min(1, worth / rarity(notes, known.get(term) ?? 0)) });
    resolved.push(...(wanted.length > 0 ? [wanted] : await resolveUnknown(index, word)));
  }
  const frequency = (wanted: Wanted[]) => wanted.reduce((sum, { term }) => sum + (known.get(term) ?? 0), 0);
  return resolved
    .filter((wanted) => wanted.length > 0)
    .sort((one, other) => frequency(one) - frequency(other));
}

async function resolveUnknown(index: Terms, { word, open }: QueryWord): Promise<Wanted[][]> {
  if (open) {
    const beginnings = [
      ...(await index.beginningWith(word, maxBeginnings)),
      ...(await index.beginningWith(formMarker + word, maxBeginnings)),
    ];
    if (beginnings.length > 0)
      return [[...new Set(beginnings)].map((term) => ({ term, weight: weightOf.beginning }))];
  }
  const near = await resolveMistyped(index, word);
  if (near.some(({ weight }) => weight === weightOf.nearest)) return [near];
  const parts = await resolveParts(index, word);
  return parts.length > 0 ? parts : [near];
}

/** Words within one edit (two from eight letters on). A number is never mistyped: 1250 is not 1251. */
async function resolveMistyped(index: Terms, word: string): Promise<Wanted[]> {
  if (word.length < minLettersForOneEdit || hasDigit.test(word)) return [];
  const edits = word.length < minLettersForTwo ? 1 : 2;
  const vocabularies = await index.vocabularies();
  const near = new Map(
    vocabularies.flatMap((vocabulary) => vocabulary.near(word, edits)).map((found) => [found.word, found]),
  );
  const weights = new Map<string, number>();
  for (const { word: candidate, distance } of near.values()) {
    const weight = distance === 1 ? weightOf.nearest : weightOf.near;
    for (const term of new Set([candidate, stemOf(candidate)]))
      weights.set(term, Math.max(weight, weights.get(term) ?? 0));
  }
  const frequencies = await index.frequencies([...weights.keys()]);
  return [...frequencies]
    .map(([term, notes]) => ({ term, weight: weights.get(term) ?? 0, notes }))
    .sort((one, other) => other.weight - one.weight || other.notes - one.notes)
    .slice(0, maxNear);
}

/** `followup` as `follow` and `up`, `acme42` as `acme` and `42`; of a longer compound its tail alone. */
async function resolveParts(index: Terms, word: string): Promise<Wanted[][]> {
  const letters = Array.from(word);
  const cuts = letters
    .map((_, at) => [letters.slice(0, at).join(''), letters.slice(at).join('')] as const)
    .filter(([head, tail]) => Math.min(head.length, tail.length) >= minPartLetters);
  const known = await index.frequencies([...new Set(cuts.flat().map(stemOf))]);
  const has = (part: string) => known.has(stemOf(part));
  const weight = weightOf.part;
  const whole = cuts.find(([head, tail]) => has(head) && has(tail));
  if (whole) return whole.map((part) => [{ term: stemOf(part), weight }]);
  const compound = cuts.find(([, tail]) => Array.from(tail).length >= minTailLetters && has(tail));
  return compound ? [[{ term: stemOf(compound[1]), weight }]] : [];
}
