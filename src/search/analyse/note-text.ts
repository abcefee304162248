import { spokenText } from '../../domain/transcript.ts';
import { type Language, languageOf, languages } from './languages.ts';
import { stemOf } from './stems.ts';
import { fold, wordsIn } from './words.ts';

/** What the index gets: tokens joined by single spaces, title and body apart because the title weighs more. */
export interface SearchText {
  title: string;
  body: string;
}

export interface SearchableNote {
  title: string | null;
  content: string;
  enhanced_content: string | null;
  transcript: string | null;
}

/** Grows when other tokens are made of the same text: notes indexed by an older one are indexed anew. */
export const analyserVersion = 3;

// Private-use characters are category Co, and words hold only L, N and M: text can never produce these.
export const formMarker = '\uE000';
export const fieldSeparator = '\uE001';
const languageMarker = '\uE002';

/** Stands in every note of the language, but in none of English. */
export const languageTerm = (language: Language) => languageMarker + language;
export const isLanguageTerm = (term: string) => term.startsWith(languageMarker);
export const languageTerms = languages.map(languageTerm);

const maxDistinctTokens = 50_000;
// They take 3 ms in Latin letters, 4 in Cyrillic ones and 8 in Thai.
const maxLettersAtOnce = 20_000;
// Arabic ligatures, one of which is a sentence: 20,000 of them took 69 ms.
const longLigature = /[\uFDF0-\uFDFC]/g;
const lettersOfLongest = 18;

/** Null for a text that would keep everybody waiting: it is analysed in a thread of its own. */
export const analyseAtOnce = (note: SearchableNote): SearchText | null =>
  lettersOf(note) > maxLettersAtOnce ? null : analyseNote(note);

const lettersOf = ({ title, content, enhanced_content, transcript }: SearchableNote) =>
  [title, content, enhanced_content, transcript].reduce(
    (sum, text) => sum + (text?.length ?? 0) + lettersOfLongest * (text?.match(longLigature)?.length ?? 0),
    0,
  );

/** Each word gives two tokens at most, so that nearly every note has room for all of them. */
function admission(words: number): (token: string) => boolean {
  if (2 * words <= maxDistinctTokens) return () => true;
  const admitted = new Set<string>();
  return (token) => {
    if (admitted.size < maxDistinctTokens) admitted.add(token);
    return admitted.has(token);
  };
}

/** The tokens to index. Words whose stem differs stand once more behind the text, marked: `runn` finds `running`. */
export function analyseNote({ title, content, enhanced_content, transcript }: SearchableNote): SearchText {
  const fields = [title, content, enhanced_content, transcript && spokenText(transcript)];
  const words = fields.map((text) => (text ? wordsIn(fold(text)) : []));
  const language = languageOf(content, words.flat());
  const admit = admission(words.reduce((sum, { length }) => sum + length, 0));
  const forms = new Set<string>();
  const [titleStems = '', ...bodyStems] = words.map((some) => {
    const stems: string[] = [];
    for (const word of some) {
      const stem = stemOf(word, language);
      if (!admit(stem)) continue;
      stems.push(stem);
      if (stem !== word) forms.add(formMarker + word);
    }
    return stems.join(' ');
  });
  const others = [...forms].filter(admit);
  if (language !== 'english') others.push(languageTerm(language));
  const body = [...bodyStems, others.join(' ')].filter((field) => field !== '').join(` ${fieldSeparator} `);
  return { title: titleStems, body };
}
