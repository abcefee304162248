import { stemmer } from 'stemmer';
import { spokenText } from './transcript.ts';

/** What the engines index: tokens joined by single spaces, title and body apart because the title weighs more. */
export interface SearchText {
  title: string;
  body: string;
}

/** All clauses of a query must match; of a prefix clause, any of its three ways suffices. */
export type SearchClause =
  | { kind: 'word'; stem: string }
  /** Two or more stems in sequence. */
  | { kind: 'phrase'; stems: string[] }
  /** `stem` is a whole token, `prefix` begins a plain token, `formPrefix` begins a form token. */
  | { kind: 'prefix'; stem: string; prefix: string; formPrefix: string };

// Private-use characters are category Co, and words hold only L, N and M: text can never produce these two.
const formMarker = '\uE000';
const fieldSeparator = '\uE001';

const maxTokenCodePoints = 64;
const maxDistinctTokens = 50_000;
// A tsvector ends at 2^20 bytes. Besides the tokens it holds at most 16,383 positions of 2 bytes, and a count,
// a clamped position and padding (5 bytes) for each of 50,000 tokens: 283 kB. This leaves 65 kB to spare.
const maxDistinctTokenBytes = 700_000;
const maxClauses = 32;
// A prefix of one Latin letter would touch a quarter of the index.
const minPrefixCodePoints = 2;
const maxCachedStems = 20_000;

// English as phones type it is ASCII and U+2013 to U+2027 (dashes, curly quotes, bullets, ellipsis), none of which
// folds to a letter, so that it can do without normalising.
const beyondEnglish = /[\u0080-\u2012\u2028-\uFFFF]/;
const asciiApostrophe = /(?<=[a-z0-9])['’‘](?=[a-z0-9])/g;
const asciiWord = /[a-z0-9]+/g;
// U+02BC and U+02BB are letters to Unicode; keyboards for Ukrainian and Hawaiian write them as apostrophes.
const apostrophe = /[ʼʻ]|(?<=[\p{L}\p{N}\p{M}])['’‘](?=[\p{L}\p{N}])/gu;
// Soft hyphens, joiners, emoji variation selectors; but U+200B is how Thai and Khmer writers part words.
const invisible = /[\p{Default_Ignorable_Code_Point}--\u200B]+/gv;
// The look ahead comes first because marks are rarer than letters: three times as fast.
const accent = /(?=\p{M})(?<=[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}0-9])\p{M}+/gu;
// Letters that Unicode does not decompose, each followed by what people type instead.
const replacements = 'ßss æae œoe øo đd ðd łl þth ħh ŧt ŋn ıi ɓb ɗd ƙk ςσ'.split(' ');
const plainLetters = new Map(replacements.map((pair) => [pair.slice(0, 1), pair.slice(1)]));
const letterWithoutDecomposition = new RegExp(`[${[...plainLetters.keys()].join('')}]`, 'g');
// Scripts without spaces between words, which need a dictionary, are cut apart from their neighbours: iPhoneを.
const unspacedLetter =
  /[[\p{L}\p{N}]&&[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]]/v;
const unspaced = unspacedLetter.source;
const wordRun = new RegExp(
  `[[\\p{L}\\p{N}]--${unspaced}][[\\p{L}\\p{N}\\p{M}]--${unspaced}]*|${unspaced}[${unspaced}\\p{M}]*`,
  'gv',
);
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });
// One sign of these scripts is a syllable or a word, and narrows a search as two Latin letters do.
const syllabic = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/u;
const stemmable = /^[a-z]+$/;
const quoted = /"[^"]*"|[“„”][^“„”]*[“”]|«[^«»]*»|»[^«»]*«/g;

const cachedStems = new Map<string, string>();

/** The tokens to index, the same for every engine. */
export function analyseNote(note: {
  title: string | null;
  content: string;
  enhanced_content: string | null;
  transcript: string | null;
}): SearchText {
  const admit = createAdmission();
  const forms = new Set<string>();
  const stemsIn = (text: string | null) => {
    const stems: string[] = [];
    for (const word of wordsIn(fold(text ?? ''))) {
      const stem = stemOf(word);
      if (!admit(stem)) continue;
      stems.push(stem);
      if (stem !== word) forms.add(formMarker + word);
    }
    return stems.join(' ');
  };
  const title = stemsIn(note.title);
  const fields = [note.content, note.enhanced_content, note.transcript && spokenText(note.transcript)].map(
    stemsIn,
  );
  const formTokens = [...forms].filter(admit).join(' ');
  const body = [...fields, formTokens].filter((field) => field !== '').join(` ${fieldSeparator} `);
  return { title, body };
}

/** The clauses of a query in its own order; [] when it holds no word. The last word outside quotes is a prefix. */
export function parseQuery(query: string): SearchClause[] {
  const text = fold(query);
  const clauses: SearchClause[] = [];
  let lastWord: { at: number; word: string } | undefined;
  const addWords = (plain: string) => {
    for (const word of wordsIn(plain)) {
      lastWord = { at: clauses.length, word };
      clauses.push({ kind: 'word', stem: stemOf(word) });
    }
  };

  let end = 0;
  for (const match of text.matchAll(quoted)) {
    addWords(text.slice(end, match.index));
    end = match.index + match[0].length;
    const stems = wordsIn(match[0]).map(stemOf);
    const [stem] = stems;
    if (stem === undefined) continue;
    clauses.push(stems.length === 1 ? { kind: 'word', stem } : { kind: 'phrase', stems });
  }
  addWords(text.slice(end));

  if (lastWord && (Array.from(lastWord.word).length >= minPrefixCodePoints || syllabic.test(lastWord.word))) {
    const { at, word } = lastWord;
    clauses[at] = { kind: 'prefix', stem: stemOf(word), prefix: word, formPrefix: formMarker + word };
  }
  const distinct = new Map(clauses.map((clause) => [JSON.stringify(clause), clause]));
  return [...distinct.values()].slice(0, maxClauses);
}

/** One spelling for what a reader takes for the same word: case, width, accents and apostrophes do not count. */
function fold(text: string): string {
  if (!beyondEnglish.test(text)) return text.toLowerCase().replace(asciiApostrophe, '');
  return (
    text
      .normalize('NFKC')
      .replace(invisible, '')
      .toLowerCase()
      .normalize('NFD')
      .replace(accent, '')
      .normalize('NFC')
      // NFKC takes Thai and Lao "am" apart for good, and the segmenter's dictionary holds them whole.
      .replace(/\u0E4D([\u0E48-\u0E4B]?)\u0E32/g, '$1\u0E33')
      .replace(/\u0ECD([\u0EC8-\u0ECB]?)\u0EB2/g, '$1\u0EB3')
      .replace(letterWithoutDecomposition, (letter) => plainLetters.get(letter) ?? letter)
      .replace(apostrophe, '')
  );
}

function wordsIn(folded: string): string[] {
  if (!beyondEnglish.test(folded)) return (folded.match(asciiWord) ?? []).map(cut);
  // Thai is the first of the scripts without spaces in Unicode's order.
  const isUnspaced = (run: string) => run >= '\u0E00' && unspacedLetter.test(run);
  return (folded.match(wordRun) ?? []).flatMap((run) => (isUnspaced(run) ? segmentsOf(run) : cut(run)));
}

function segmentsOf(run: string): string[] {
  const parts = Array.from(segmenter.segment(run));
  return parts.filter((part) => part.isWordLike).map((part) => cut(part.segment));
}

function cut(word: string): string {
  if (word.length <= maxTokenCodePoints) return word;
  // A code point takes at most two UTF-16 units, so the rest of a run of a megabyte need not be spread out.
  const codePoints = Array.from(word.slice(0, 2 * maxTokenCodePoints));
  return codePoints.slice(0, maxTokenCodePoints).join('');
}

function stemOf(word: string): string {
  const cached = cachedStems.get(word);
  if (cached !== undefined) return cached;
  if (!stemmable.test(word)) return word;
  // V8 lets a word of 13 characters and more point into the text it was cut from: cached without a copy it would
  // keep the whole note in memory.
  const copy = Buffer.from(word, 'latin1').toString('latin1');
  const stem = stemmer(copy);
  if (cachedStems.size >= maxCachedStems) cachedStems.clear();
  cachedStems.set(copy, stem);
  return stem;
}

function createAdmission(): (token: string) => boolean {
  const admitted = new Set<string>();
  let bytes = 0;
  return (token) => {
    if (admitted.has(token)) return true;
    const grown = bytes + Buffer.byteLength(token);
    if (admitted.size >= maxDistinctTokens || grown > maxDistinctTokenBytes) return false;
    bytes = grown;
    admitted.add(token);
    return true;
  };
}
