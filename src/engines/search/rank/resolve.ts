import { formMarker, languageTerm, languageTerms } from '../analyse/analyser.ts';
import { type Language, languages } from '../analyse/languages.ts';
import { stemsOf } from '../analyse/stemmer.ts';
import { idf } from './bm25.ts';
import type { Vocabulary } from './fuzzy.ts';
import type { QueryWord, SearchQuery } from './query.ts';

/** A term of the index that may match a word of the query, and how sure that is. */
export interface WeightedTerm {
  term: string;
  weight: number;
}

interface Resolved {
  /** The alternatives of each word of the query that has any, the rarest word first. */
  words: WeightedTerm[][];
  /** For each word of each phrase. */
  phrases: WeightedTerm[][][];
  /** The languages of the owner's notes, and English. */
  noteLanguages: Language[];
  /** False if the time was up before every unknown word was resolved. */
  complete: boolean;
}

export interface ResolveOptions {
  /** Set if an older analyser made some of the entries. */
  asWritten?: boolean;
  /** True when the time is up. */
  isLate(): boolean;
}

interface Terms {
  documentFrequencies(terms: readonly string[]): Promise<Map<string, number>>;
  beginningWith(prefix: string, limit: number): Promise<string[]>;
  vocabularies(): Promise<Vocabulary[]>;
}

interface Asked {
  index: Terms;
  noteLanguages: Language[];
  isLong: boolean;
}

const maxBeginnings = 40;
const maxNear = 12;
const maxCompounds = 12;
/** `followup` is two words, and a compound has a head and a tail. */
const halfAWord = 0.5;
const [minLettersForOneEdit, minLettersForTwo] = [4, 8];
const minPartLetters = 2;
const minTailLetters = 5;
// The language of a short note may be unknown. Turkish is out: its stems are prefixes that many words share.
const withEndings = languages.filter((language) => language !== 'turkish');
const hasDigit = /\p{N}/u;

/**
 * Finds the terms for each word of a query. A word that is in the index matches itself. Any other is a prefix if it may be
 * unfinished, else a mistyped or compound word.
 */
export async function resolveQuery(
  index: Terms,
  query: SearchQuery,
  notes: number,
  { asWritten, isLate }: ResolveOptions,
): Promise<Resolved> {
  const marked = await index.documentFrequencies(languageTerms);
  const noteLanguages = languages.filter(
    (language) => language === 'english' || marked.has(languageTerm(language)),
  );
  // Entries of an older analyser may have other stems, but they have every word as it is written, plain or marked.
  const termsOf = (word: string) => [
    ...new Set([...stemsOf(word, noteLanguages), ...(asWritten ? [word, formMarker + word] : [])]),
  ];
  const words = query.words.map((word) => ({
    ...word,
    terms: [word.word, ...word.otherSpellings].flatMap(termsOf),
    joined: word.withNext === null ? [] : termsOf(word.withNext),
  }));
  const known = await index.documentFrequencies([
    ...new Set([
      ...words.flatMap(({ terms, joined }) => [...terms, ...joined]),
      ...query.phrases.flat().flatMap(termsOf),
    ]),
  ]);
  const sure = (terms: readonly string[]) =>
    terms.filter((term) => known.has(term)).map((term) => ({ term, weight: 1 }));
  const phrases = query.phrases.map((phrase) => phrase.map((word) => sure(termsOf(word))));
  const resolved = phrases.flat();
  let complete = true;
  for (const [at, word] of words.entries()) {
    const wanted = sure(word.terms);
    const own = wanted.map(({ term }) => term);
    const worth = idf(notes, Math.max(0, ...own.map((term) => known.get(term) ?? 0)));
    for (const term of new Set([...word.joined, ...(words[at - 1]?.joined ?? [])]))
      if (known.has(term) && !own.includes(term))
        // A joined word counts no more than the word it replaces: `laquelle` may be rarer than the `la` of `la quelle`.
        wanted.push({ term, weight: Math.min(1, worth / idf(notes, known.get(term) ?? 0)) });
    if (wanted.length > 0) resolved.push(weighted(wanted, word.weight));
    else if (isLate()) complete = false;
    else
      for (const guessed of await resolveUnknown({ index, noteLanguages, isLong: query.isLong }, word))
        resolved.push(weighted(guessed, word.weight));
  }
  const frequency = (wanted: WeightedTerm[]) =>
    wanted.reduce((sum, { term }) => sum + (known.get(term) ?? 0), 0);
  return {
    words: resolved
      .filter((wanted) => wanted.length > 0)
      .sort((one, other) => frequency(one) - frequency(other)),
    phrases,
    noteLanguages,
    complete,
  };
}

const weighted = (terms: WeightedTerm[], by: number) =>
  by === 1 ? terms : terms.map(({ term, weight }) => ({ term, weight: weight * by }));

async function resolveUnknown(asked: Asked, { word, open }: QueryWord): Promise<WeightedTerm[][]> {
  const { index } = asked;
  if (open) {
    const beginnings = [
      ...(await index.beginningWith(word, maxBeginnings)),
      ...(await index.beginningWith(formMarker + word, maxBeginnings)),
    ];
    if (beginnings.length > 0) return [[...new Set(beginnings)].map((term) => ({ term, weight: 1 }))];
  }
  // A long question has enough words that are right. Guesses are rare words, which count much.
  const near = asked.isLong ? [] : await resolveMistyped(asked, word);
  if (near.some(({ weight }) => weight === agreeing(word, 1))) return [near];
  const stems = stemsOf(word, withEndings).filter((stem) => stem.length >= minLettersForOneEdit);
  const elsewhere = await index.documentFrequencies(stems);
  if (elsewhere.size > 0)
    return [[...elsewhere.keys()].map((term) => ({ term, weight: term.length / word.length }))];
  const parts = await resolveParts(asked, word);
  if (parts.length > 0) return parts;
  const compounds = await resolveTail(asked, word);
  return [compounds.length > 0 ? compounds : near];
}

/** The weight of a fuzzy match: the share of letters that are right. */
const agreeing = (word: string, edits: number) => 1 - edits / word.length;

/** Words within one edit (two from eight letters on). A number is never mistyped: 1250 is not 1251. */
async function resolveMistyped({ index, noteLanguages }: Asked, word: string): Promise<WeightedTerm[]> {
  if (word.length < minLettersForOneEdit || hasDigit.test(word)) return [];
  const edits = word.length < minLettersForTwo ? 1 : 2;
  const vocabularies = await index.vocabularies();
  const near = new Map(
    vocabularies.flatMap((vocabulary) => vocabulary.near(word, edits)).map((found) => [found.word, found]),
  );
  const weights = new Map<string, number>();
  for (const { word: candidate, distance } of near.values()) {
    const weight = agreeing(word, distance);
    for (const term of new Set([candidate, ...stemsOf(candidate, noteLanguages)]))
      weights.set(term, Math.max(weight, weights.get(term) ?? 0));
  }
  return commonest(index, weights, maxNear);
}

/** `followup` as `follow` and `up`, `acme42` as `acme` and `42`; of a longer compound its tail alone. */
async function resolveParts({ index, noteLanguages }: Asked, word: string): Promise<WeightedTerm[][]> {
  const letters = Array.from(word);
  const cuts = letters
    .map((_, at) => [letters.slice(0, at).join(''), letters.slice(at).join('')] as const)
    .filter(([head, tail]) => Math.min(head.length, tail.length) >= minPartLetters);
  const known = await index.documentFrequencies([
    ...new Set(cuts.flat().flatMap((part) => stemsOf(part, noteLanguages))),
  ]);
  const wanted = (part: string) =>
    stemsOf(part, noteLanguages)
      .filter((term) => known.has(term))
      .map((term) => ({ term, weight: halfAWord }));
  const whole = cuts.find((parts) => parts.every((part) => wanted(part).length > 0));
  if (whole) return whole.map(wanted);
  const compound = cuts.find(
    ([, tail]) => Array.from(tail).length >= minTailLetters && wanted(tail).length > 0,
  );
  return compound ? [wanted(compound[1])] : [];
}

/** Compounds in the index that end with the word: `Krankenversicherung` for `Versicherung`. */
async function resolveTail({ index, noteLanguages }: Asked, word: string): Promise<WeightedTerm[]> {
  const tails = stemsOf(word, noteLanguages).filter((stem) => stem.length >= minTailLetters);
  const vocabularies = tails.length > 0 ? await index.vocabularies() : [];
  const compounds = tails.flatMap((tail) =>
    vocabularies.flatMap((vocabulary) => vocabulary.endingWith(tail)),
  );
  const terms = compounds.flatMap((compound) => [compound, ...stemsOf(compound, noteLanguages)]);
  return commonest(index, new Map(terms.map((term) => [term, halfAWord])), maxCompounds);
}

async function commonest(
  index: Terms,
  weights: ReadonlyMap<string, number>,
  limit: number,
): Promise<WeightedTerm[]> {
  const frequencies = await index.documentFrequencies([...weights.keys()]);
  return [...frequencies]
    .map(([term, notes]) => ({ term, weight: weights.get(term) ?? 0, notes }))
    .sort((one, other) => other.weight - one.weight || other.notes - one.notes)
    .slice(0, limit);
}
