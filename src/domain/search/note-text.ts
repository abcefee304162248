import { spokenText } from '../transcript.ts';
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
export const analyserVersion = 2;

// Private-use characters are category Co, and words hold only L, N and M: text can never produce these two.
export const formMarker = '\uE000';
export const fieldSeparator = '\uE001';

const maxDistinctTokens = 50_000;
// Chosen by judgement: how long 20,000 letters take was not measured.
const maxLettersAtOnce = 20_000;

/** Null for a text that would keep everybody waiting: it is analysed in a thread of its own. */
export const analyseAtOnce = (note: SearchableNote): SearchText | null =>
  lettersOf(note) > maxLettersAtOnce ? null : analyseNote(note);

const lettersOf = ({ title, content, enhanced_content, transcript }: SearchableNote) =>
  [title, content, enhanced_content, transcript].reduce((sum, text) => sum + (text?.length ?? 0), 0);

/** The tokens to index. Words whose stem differs stand once more behind the text, marked: `runn` finds `running`. */
export function analyseNote(note: SearchableNote): SearchText {
  const admitted = new Set<string>();
  const admit = (token: string) => {
    if (admitted.size < maxDistinctTokens) admitted.add(token);
    return admitted.has(token);
  };
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
