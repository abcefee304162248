import { formMarker, languageTerm, languageTerms } from '../analyse/analyser.ts';
import { type Language, languages } from '../analyse/languages.ts';
import { stemsOf } from '../analyse/stemmer.ts';
import { idf } from './bm25.ts';
import type { Vocabulary } from './fuzzy.ts';
import type { QueryWord, SearchQuery } from './query.ts';

/** A term of the index that may stand for a word of the query, and how sure that is. */
export interface Wanted {
  term: string;
  weight: number;
}

export interface Resolved {
  /** For each word of the query that something may stand for, the rarest first. */
  words: Wanted[][];
  /** For each word of each phrase. */
  phrases: Wanted[][][];
  /** Those of the owner's notes, and English. */
  spoken: Language[];
  /** False when the time was up before every unknown word was looked for. */
  complete: boolean;
}

export interface ResolveOptions {
  /** When some entries are those of an older analyser. */
  asWritten?: boolean;
  /** True when the time is up. */
  isLate(): boolean;
}

interface Terms {
  frequencies(terms: readonly string[]): Promise<Map<string, number>>;
  beginningWith(prefix: string, limit: number): Promise<string[]>;
  vocabularies(): Promise<Vocabulary[]>;
}

interface Asked {
  index: Terms;
  spoken: Language[];
}

const maxBeginnings = 40;
const maxNear = 12;
const maxCompounds = 12;
/** `followup` is two words, and a compound has a head and a tail. */
const halfAWord = 0.5;
const [minLettersForOneEdit, minLettersForTwo] = [4, 8];
const minPartLetters = 2;
const minTailLetters = 5;
// A note of a few words may not tell its language. Turkish stems are beginnings, which many words share.
const withEndings = languages.filter((language) => language !== 'turkish');
const hasDigit = /\p{N}/u;

/**
 * The terms for each word of a query. A word that the owner's notes have stands for itself. Any other is taken for the
 * beginning of words when it may be unfinished, else for a mistyped or joined one.
 */
export async function resolveQuery(
  index: Terms,
  query: SearchQuery,
  notes: number,
  { asWritten, isLate }: ResolveOptions,
): Promise<Resolved> {
  const marked = await index.frequencies(languageTerms);
  const spoken = languages.filter((language) => language === 'english' || marked.has(languageTerm(language)));
  // Entries of an older analyser may hold other stems, but every word as it is written, alone or marked.
  const termsOf = (word: string) => [
    ...new Set([...stemsOf(word, spoken), ...(asWritten ? [word, formMarker + word] : [])]),
  ];
  const words = query.words.map((word) => ({
    ...word,
    terms: [word.word, ...word.otherSpellings].flatMap(termsOf),
    joined: word.withNext === null ? [] : termsOf(word.withNext),
  }));
  const known = await index.frequencies([
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
        // `la quelle` is not worth more for being `laquelle` somewhere: a joined word counts as the word it stands for.
        wanted.push({ term, weight: Math.min(1, worth / idf(notes, known.get(term) ?? 0)) });
    if (wanted.length > 0) resolved.push(wanted);
    else if (isLate()) complete = false;
    else resolved.push(...(await resolveUnknown({ index, spoken }, word)));
  }
  const frequency = (wanted: Wanted[]) => wanted.reduce((sum, { term }) => sum + (known.get(term) ?? 0), 0);
  return {
    words: resolved
      .filter((wanted) => wanted.length > 0)
      .sort((one, other) => frequency(one) - frequency(other)),
    phrases,
    spoken,
    complete,
  };
}

async function resolveUnknown(asked: Asked, { word, open }: QueryWord): Promise<Wanted[][]> {
  const { index } = asked;
  if (open) {
    const beginnings = [
      ...(await index.beginningWith(word, maxBeginnings)),
      ...(await index.beginningWith(formMarker + word, maxBeginnings)),
    ];
    if (beginnings.length > 0) return [[...new Set(beginnings)].map((term) => ({ term, weight: 1 }))];
  }
  const near = await resolveMistyped(asked, word);
  if (near.some(({ weight }) => weight === agreeing(word, 1))) return [near];
  const stems = stemsOf(word, withEndings).filter((stem) => stem.length >= minLettersForOneEdit);
  const elsewhere = await index.frequencies(stems);
  if (elsewhere.size > 0)
    return [[...elsewhere.keys()].map((term) => ({ term, weight: term.length / word.length }))];
  const parts = await resolveParts(asked, word);
  if (parts.length > 0) return parts;
  const compounds = await resolveTail(asked, word);
  return [compounds.length > 0 ? compounds : near];
}

/** The share of its letters that a mistyped word has right: what another word in its place is worth. */
const agreeing = (word: string, edits: number) => 1 - edits / word.length;

/** Words within one edit (two from eight letters on). A number is never mistyped: 1250 is not 1251. */
async function resolveMistyped({ index, spoken }: Asked, word: string): Promise<Wanted[]> {
  if (word.length < minLettersForOneEdit || hasDigit.test(word)) return [];
  const edits = word.length < minLettersForTwo ? 1 : 2;
  const vocabularies = await index.vocabularies();
  const near = new Map(
    vocabularies.flatMap((vocabulary) => vocabulary.near(word, edits)).map((found) => [found.word, found]),
  );
  const weights = new Map<string, number>();
  for (const { word: candidate, distance } of near.values()) {
    const weight = agreeing(word, distance);
    for (const term of new Set([candidate, ...stemsOf(candidate, spoken)]))
      weights.set(term, Math.max(weight, weights.get(term) ?? 0));
  }
  return commonest(index, weights, maxNear);
}

/** `followup` as `follow` and `up`, `acme42` as `acme` and `42`; of a longer compound its tail alone. */
async function resolveParts({ index, spoken }: Asked, word: string): Promise<Wanted[][]> {
  const letters = Array.from(word);
  const cuts = letters
    .map((_, at) => [letters.slice(0, at).join(''), letters.slice(at).join('')] as const)
    .filter(([head, tail]) => Math.min(head.length, tail.length) >= minPartLetters);
  const known = await index.frequencies([...new Set(cuts.flat().flatMap((part) => stemsOf(part, spoken)))]);
  const wanted = (part: string) =>
    stemsOf(part, spoken)
      .filter((term) => known.has(term))
      .map((term) => ({ term, weight: halfAWord }));
  const whole = cuts.find((parts) => parts.every((part) => wanted(part).length > 0));
  if (whole) return whole.map(wanted);
  const compound = cuts.find(
    ([, tail]) => Array.from(tail).length >= minTailLetters && wanted(tail).length > 0,
  );
  return compound ? [wanted(compound[1])] : [];
}

/** Compounds of the owner's notes that end so: `Versicherung` is in `Krankenversicherung`. */
async function resolveTail({ index, spoken }: Asked, word: string): Promise<Wanted[]> {
  const tails = stemsOf(word, spoken).filter((stem) => stem.length >= minTailLetters);
  const vocabularies = tails.length > 0 ? await index.vocabularies() : [];
  const compounds = tails.flatMap((tail) =>
    vocabularies.flatMap((vocabulary) => vocabulary.endingWith(tail)),
  );
  const terms = compounds.flatMap((compound) => [compound, ...stemsOf(compound, spoken)]);
  return commonest(index, new Map(terms.map((term) => [term, halfAWord])), maxCompounds);
}

async function commonest(
  index: Terms,
  weights: ReadonlyMap<string, number>,
  limit: number,
): Promise<Wanted[]> {
  const frequencies = await index.frequencies([...weights.keys()]);
  return [...frequencies]
    .map(([term, notes]) => ({ term, weight: weights.get(term) ?? 0, notes }))
    .sort((one, other) => other.weight - one.weight || other.notes - one.notes)
    .slice(0, limit);
}
