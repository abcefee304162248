import { stemOf } from '../analyse/stemmer.ts';
import { fold, tokenize } from '../analyse/tokenizer.ts';

export interface QueryWord {
  word: string;
  /** `uebung` for `Übung`. */
  otherSpellings: string[];
  /** The last word outside quotes may be unfinished. */
  open: boolean;
  /** Joined with the next word: `followup`. */
  withNext: string | null;
  /** Above 1 for a word that a long question repeats. */
  weight: number;
}

export interface SearchQuery {
  words: QueryWord[];
  /** In quotes. A note must have each of them, word for word. */
  phrases: string[][];
  isLong: boolean;
}

// A request has 500 letters. Words beyond these would only cost time.
const maxWords = 128;
/** Of 2,400 questions of one sentence 99 % are shorter. A longer one is a text, and is read as one: decision 205. */
export const maxSentenceWords = 20;
// BM25's saturation of a word in the query, as Okapi set it at TREC: the second time counts 0.8, the eighth 0.3.
const k3 = 8;
// A phrase of 160 words took 14 s in ten notes of a megabyte that repeat one of its words.
const maxPhraseWords = 16;
const maxPhrases = 32;
// Too many words begin with any one Latin letter.
const minOpenCodePoints = 2;
// A character of these scripts is a syllable or a word, and narrows a search like two Latin letters.
const syllabic = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/u;
const kanaRun = /[\u3041-\u3096\u30A1-\u30F6ー]{2,}/g;
const quoted = /"[^"]*"|[“„”][^“„”]*[“”]|«[^«»]*»|»[^«»]*«/g;

/** Words and phrases in the order of the query. Both are empty if it has no word. */
export function parseQuery(query: string): SearchQuery {
  const text = query.replaceAll('＂', '"');
  const words: QueryWord[] = [];
  const phrases: string[][] = [];
  const isLong = tokenize(fold(text)).length > maxSentenceWords;
  const addWords = (plain: string) => {
    const folded = fold(plain);
    const run = tokenize(folded);
    // The segmenter splits らーめん, but not ラーメン.
    const kanaRuns = folded.match(kanaRun) ?? [];
    for (const [index, word] of run.entries()) {
      const next = run[index + 1];
      const kana = kanaRuns.find((whole) => whole.startsWith(word) && whole !== word);
      const joined = kana ?? (next === undefined || isLong ? undefined : word + next);
      words.push({
        word,
        otherSpellings: otherSpellings(word, plain),
        open: false,
        withNext: joined ?? null,
        weight: 1,
      });
    }
  };

  let end = 0;
  for (const match of text.matchAll(quoted)) {
    addWords(text.slice(end, match.index));
    end = match.index + match[0].length;
    const phrase = tokenize(fold(match[0]));
    if (phrase.length > 0) phrases.push(phrase.slice(0, maxPhraseWords));
  }
  addWords(text.slice(end));

  const last = words.at(-1);
  if (last) last.open = Array.from(last.word).length >= minOpenCodePoints || syllabic.test(last.word);
  const distinct = firstOfEach(words, isLong).slice(0, maxWords);
  return { words: distinct, phrases: phrases.slice(0, maxPhrases), isLong };
}

/** Each word once. It is open if its last occurrence is. Repeats count in a long question: in a sentence they are grammar. */
function firstOfEach(words: QueryWord[], isLong: boolean): QueryWord[] {
  const byStem = new Map<string, { first: QueryWord; open: boolean; times: number }>();
  for (const word of words) {
    const stem = stemOf(word.word, 'english');
    const { first = word, times = 0 } = byStem.get(stem) ?? {};
    byStem.set(stem, { first, open: word.open, times: times + 1 });
  }
  return [...byStem.values()].map(({ first, open, times }) => ({
    ...first,
    open,
    weight: isLong ? ((k3 + 1) * times) / (k3 + times) : 1,
  }));
}

/** German: ü is written ue where there is no ü, and the other way round. */
function otherSpellings(word: string, raw: string): string[] {
  if (/[aou]e/.test(word)) return [word.replace(/([aou])e/g, '$1')];
  if (!/[äöüÄÖÜ]|[aouAOU]\u0308/.test(raw)) return [];
  for (const written of raw
    .normalize('NFC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])
    if (/[äöü]/.test(written) && fold(written) === word)
      return [fold(written.replace(/[äöü]/g, (letter) => `${letter}e`))];
  return [];
}
