import { speakersIn, spokenText } from '../../../domain/transcript.ts';
import { type Language, languageOf, languages } from './languages.ts';
import { stemOf } from './stemmer.ts';
import { fold, tokenize } from './tokenizer.ts';

export interface SearchableNote {
  title: string | null;
  content: string;
  enhanced_content: string | null;
  transcript: string | null;
}

/** Raise it when the analyser makes other tokens: the next start indexes all notes again, in the background. */
export const analyserVersion = 4;

// Tokens are letters, numbers and marks (L, N, M). These are private-use characters (Co), so no text can produce them.
export const formMarker = '\uE000';
export const fieldSeparator = '\uE001';
const languageMarker = '\uE002';

/** A term of every note in this language. English notes have none. */
export const languageTerm = (language: Language) => languageMarker + language;
const isLanguageTerm = (term: string) => term.startsWith(languageMarker);
export const languageTerms = languages.map(languageTerm);

/** Begins a term of every note in whose transcript a person of this name speaks. Spaces end terms. */
export const speakerMarker = '\uE003';
const spaceInName = '\uE004';
const maxSpeakers = 50;
const maxSpeakerLetters = 100;

const speakerTerm = (name: string) =>
  speakerMarker +
  name
    .normalize('NFKC')
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, maxSpeakerLetters)
    .toWellFormed()
    .replaceAll(' ', spaceInName);
export const speakerOf = (term: string) => term.slice(1).replaceAll(spaceInName, ' ');
/** Terms that are no words of the note. */
export const isAboutNote = (term: string) => isLanguageTerm(term) || term.startsWith(speakerMarker);

const maxDistinctTokens = 50_000;
// Analysing them takes 3 ms in Latin letters, 4 in Cyrillic and 8 in Thai.
const maxLettersAtOnce = 20_000;
// Folding writes these Arabic ligatures out, up to 18 letters each: 20,000 of them took 69 ms.
const longLigature = /[\uFDF0-\uFDFC]/g;
const lettersOfLongest = 18;

/** Null if analysing would block the thread that answers requests for too long. */
export const analyseAtOnce = (note: SearchableNote): string | null =>
  lettersOf(note) > maxLettersAtOnce ? null : analyseNote(note);

const lettersOf = ({ title, content, enhanced_content, transcript }: SearchableNote) =>
  [title, content, enhanced_content, transcript].reduce(
    (sum, text) => sum + (text?.length ?? 0) + lettersOfLongest * (text?.match(longLigature)?.length ?? 0),
    0,
  );

/** Bounds the distinct tokens of a note. A word gives two at most, so nearly every note needs no bound. */
function admission(words: number): (token: string) => boolean {
  if (2 * words <= maxDistinctTokens) return () => true;
  const admitted = new Set<string>();
  return (token) => {
    if (admitted.size < maxDistinctTokens) admitted.add(token);
    return admitted.has(token);
  };
}

/**
 * The text of an entry: stems joined by spaces, first of the title, then behind a line break of the body. A word that
 * differs from its stem is added once at the end, marked, so that the prefix `runn` finds `running`.
 */
export function analyseNote({ title, content, enhanced_content, transcript }: SearchableNote): string {
  const fields = [title, content, enhanced_content, transcript && spokenText(transcript)];
  const words = fields.map((text) => (text ? tokenize(fold(text)) : []));
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
  if (transcript) others.push(...new Set(speakersIn(transcript, maxSpeakers).map(speakerTerm)));
  const body = [...bodyStems, others.join(' ')].filter((field) => field !== '').join(` ${fieldSeparator} `);
  return ` ${titleStems} \n ${body} `;
}
