import { createNames, isCommonWord } from './sounds-like.ts';

interface Expected {
  prompt?: string | undefined;
  dictionary?: readonly string[] | undefined;
}

export interface PromptSources {
  /** The caller's own terms: they come first, and are cut only when they are too long. */
  prompt: string;
  /** The most recently used first. */
  dictionary: readonly string[];
}

/** Long prompts do harm: with 600 words the whole output came in lower case; a handful corrected a name. */
const promptBudgetCharacters = 320;
const dictionaryBudgetWords = 20;

/** The prompt for the engine: words with commas between them. "Glossary: …" did not work when measured. */
export function choosePrompt({ prompt, dictionary }: PromptSources): string {
  const own = cutAtWord(prompt.replace(/\s+/g, ' ').trim(), promptBudgetCharacters);
  const known = new Set(wordsOf(own).map(plain));
  const candidates = [...new Set(dictionary.map((word) => word.trim()))].filter(
    (word) => word !== '' && !known.has(plain(word)),
  );
  const chosen: string[] = [];
  let room = promptBudgetCharacters - own.length;
  for (const word of candidates) {
    if (chosen.length >= dictionaryBudgetWords || word.length + 2 > room) break;
    chosen.push(word);
    room -= word.length + 2;
  }
  const list = chosen.length > 0 ? `${chosen.join(', ')}.` : '';
  return [own, list].filter(Boolean).join(own.endsWith('.') || own.endsWith(',') ? ' ' : ', ');
}

const mostWordsInTerm = 4;

/** The names and jargon in a prompt: what stands between commas, and of whole sentences the words that are not common. */
export const termsOf = (prompt: string): string[] =>
  prompt
    .split(/[,;\n]+|[.?!](?:\s|$)/)
    .map((term) => term.replace(/\s+/g, ' ').trim())
    .flatMap((term) => {
      const words = term.split(' ');
      return words.length <= mostWordsInTerm ? [term] : words.filter((word) => !isCommonWord(word));
    })
    .filter((term) => term !== '');

/** What the caller expects to be said: the terms of the prompt, then the dictionary. */
export const expectedNames = ({ prompt = '', dictionary = [] }: Expected) => [
  ...new Set([...termsOf(prompt), ...dictionary]),
];

export interface Correction {
  /** How many recognised words it replaces. */
  count: number;
  text: string;
}

const mostWordsJoined = 3;

/**
 * Finds the dictionary word that was meant by the recognised words from `at` on: the same sound and a similar spelling.
 * Common words stay: "note" is rarely a misrecognised "Notte".
 */
export function correctionAt(words: readonly string[], at: number, lexicon: Lexicon): Correction | null {
  for (let count = Math.min(mostWordsJoined, words.length - at); count >= 1; count--) {
    const taken = words.slice(at, at + count).map(splitPunctuation);
    // Punctuation between them shows that they are separate words.
    if (taken.some(({ before, after }, i) => (i > 0 && before) || (i < count - 1 && after))) continue;
    if (count === 1 ? isCommonWord(taken[0]?.core ?? '') : taken.every(({ core }) => isCommonWord(core)))
      continue;
    const found = lexicon.match(taken.map(({ core }) => core).join(''), count);
    if (found === null) continue;
    return { count, text: `${taken[0]?.before ?? ''}${found}${taken.at(-1)?.after ?? ''}` };
  }
  return null;
}

export interface Lexicon {
  match(recognised: string, wordCount: number): string | null;
}

/** With 0.85 "report then" is a "Reporten"; with 0.95 "Kathrine" is no "Katherine". */
const smallestLikeness = 0.9;
const smallestSimilarity = 0.7;
/** Several words taken for one must be more similar: two real words often sound like one. */
const smallestSimilarityJoined = 0.75;

export function createLexicon(dictionary: readonly string[]): Lexicon {
  const names = createNames(dictionary);
  return {
    match(recognised, wordCount) {
      const found = names.like(recognised).filter(({ name }) => !/\s/.test(name));
      if (found.some(({ name }) => name === recognised)) return null;
      const bound = wordCount > 1 ? smallestSimilarityJoined : smallestSimilarity;
      let best: { name: string; similarity: number } | null = null;
      for (const { name, likeness } of found) {
        const similarity = similarityOf(plain(recognised), plain(name));
        if (likeness >= smallestLikeness && similarity >= bound && similarity > (best?.similarity ?? 0))
          best = { name, similarity };
      }
      return best?.name ?? null;
    },
  };
}

const plain = (word: string) =>
  word
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

const wordsOf = (text: string) => text.split(/[\s,;]+/).filter(Boolean);

function splitPunctuation(word: string): { before: string; core: string; after: string } {
  const [, before = '', core = '', after = ''] =
    /^([^\p{L}\p{N}]*)(.*?)((?:['’]s)?[^\p{L}\p{N}]*)$/u.exec(word) ?? [];
  return { before, core, after };
}

function cutAtWord(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text.slice(0, length);
  return cut.slice(0, Math.max(cut.lastIndexOf(' '), 1)).trim();
}

/** From 0, nothing in common, to 1, the same letters (Levenshtein distance by the longer length). */
function similarityOf(a: string, b: string): number {
  const row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    let diagonal = row[0] ?? 0;
    row[0] = i;
    for (let j = 1; j <= b.length; j++) {
      const above = row[j] ?? 0;
      row[j] = Math.min(above + 1, (row[j - 1] ?? 0) + 1, diagonal + (a[i - 1] === b[j - 1] ? 0 : 1));
      diagonal = above;
    }
  }
  return 1 - (row[b.length] ?? 0) / Math.max(a.length, b.length, 1);
}
