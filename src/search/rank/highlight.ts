import type { Highlight } from '../../domain/note.ts';
import { readTranscript, type Segment } from '../../domain/transcript.ts';
import { formMarker, type SearchableNote } from '../analyse/analyser.ts';
import type { Language } from '../analyse/languages.ts';
import { stemsOf } from '../analyse/stemmer.ts';
import { writtenWords } from '../analyse/tokenizer.ts';

const excerptLength = 200;
const leadingLength = 40;
const maxLengthLookedAt = 200_000;

/** The terms that a search stood for, in the languages of the owner's notes. */
export interface Sought {
  terms: ReadonlySet<string>;
  spoken: readonly Language[];
}

const isSought = (word: string, { terms, spoken }: Sought) =>
  terms.has(formMarker + word) || stemsOf(word, spoken).some((stem) => terms.has(stem));

interface Mark {
  start: number;
  end: number;
}

/** For each field that has words of the query, the excerpt with most of them. */
export function highlightNote(note: SearchableNote, sought: Sought, isLate: () => boolean): Highlight[] {
  const found: Highlight[] = [];
  for (const field of ['title', 'content', 'enhanced_content'] as const) {
    const excerpt = excerptOf(note[field] ?? '', sought, isLate);
    if (excerpt) found.push({ field, ...excerpt, seconds: null });
  }
  const spoken = note.transcript === null ? undefined : highlightTranscript(note.transcript, sought, isLate);
  return spoken ? [...found, spoken] : found;
}

function highlightTranscript(
  transcript: string,
  sought: Sought,
  isLate: () => boolean,
): Highlight | undefined {
  const { text, segments } = readTranscript(transcript);
  if (segments === null) {
    const excerpt = excerptOf(text, sought, isLate);
    return excerpt && { field: 'transcript', ...excerpt, seconds: null };
  }
  let best: Highlight | undefined;
  for (const segment of segments) {
    if (isLate()) break;
    const excerpt = excerptOf(segment.text, sought, isLate);
    if (excerpt && excerpt.marks.length > (best?.marks.length ?? 0))
      best = { field: 'transcript', ...excerpt, seconds: timeOf(segment, sought) };
  }
  return best;
}

/** When the first of the words is said; the beginning of the segment where words have no times. */
function timeOf({ words, start }: Segment, sought: Sought): number {
  const said = words.find(({ word }) => marksIn(word, sought, () => false).length > 0);
  return said?.start ?? start;
}

function excerptOf(text: string, sought: Sought, isLate: () => boolean) {
  const marks = marksIn(text.slice(0, maxLengthLookedAt), sought, isLate);
  const first = densest(marks);
  if (!first) return undefined;
  const from = first.start <= leadingLength ? 0 : wordStart(text, first.start - leadingLength);
  const to = Math.min(text.length, from + excerptLength);
  return {
    text: text.slice(from, to).toWellFormed(),
    marks: marks
      .filter(({ start, end }) => start >= from && end <= to)
      .map(({ start, end }) => ({ start: start - from, end: end - from })),
  };
}

function marksIn(text: string, sought: Sought, isLate: () => boolean): Mark[] {
  const marks: Mark[] = [];
  let seen = 0;
  for (const { start, end, words } of writtenWords(text)) {
    seen += 1;
    if (seen % 500 === 0 && isLate()) break;
    if (words.some((word) => isSought(word, sought))) marks.push({ start, end });
  }
  return marks;
}

/** The mark that most others follow closely. */
function densest(marks: readonly Mark[]): Mark | undefined {
  let best: Mark | undefined;
  let most = 0;
  let end = 0;
  for (const [at, mark] of marks.entries()) {
    while ((marks[end]?.end ?? Number.POSITIVE_INFINITY) <= mark.start + excerptLength - leadingLength)
      end += 1;
    if (end - at > most) {
      most = end - at;
      best = mark;
    }
  }
  return best ?? marks[0];
}

function wordStart(text: string, from: number): number {
  const space = text.slice(from, from + leadingLength).search(/\s/);
  return space < 0 ? from : from + space + 1;
}
