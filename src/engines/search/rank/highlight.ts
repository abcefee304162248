import type { Highlight } from '../../../domain/note.ts';
import { readTranscript, type Segment } from '../../../domain/transcript.ts';
import { formMarker, type SearchableNote } from '../analyse/analyser.ts';
import type { Language } from '../analyse/languages.ts';
import { stemsOf } from '../analyse/stemmer.ts';
import { writtenWords } from '../analyse/tokenizer.ts';

const excerptLength = 200;
const leadingLength = 40;
const maxLengthLookedAt = 200_000;

/** The terms that a search looked for, and the languages of the owner's notes. */
export interface QueryTerms {
  terms: ReadonlySet<string>;
  noteLanguages: readonly Language[];
}

const isMatch = (word: string, { terms, noteLanguages }: QueryTerms) =>
  terms.has(formMarker + word) || stemsOf(word, noteLanguages).some((stem) => terms.has(stem));

interface Mark {
  start: number;
  end: number;
}

/** For each field that has words of the query, the excerpt with most of them. */
export function highlightNote(
  note: SearchableNote,
  queryTerms: QueryTerms,
  isLate: () => boolean,
): Highlight[] {
  const found: Highlight[] = [];
  for (const field of ['title', 'content', 'enhanced_content'] as const) {
    const excerpt = excerptOf(note[field] ?? '', queryTerms, isLate);
    if (excerpt) found.push({ field, ...excerpt, seconds: null });
  }
  const spoken =
    note.transcript === null ? undefined : highlightTranscript(note.transcript, queryTerms, isLate);
  return spoken ? [...found, spoken] : found;
}

function highlightTranscript(
  transcript: string,
  queryTerms: QueryTerms,
  isLate: () => boolean,
): Highlight | undefined {
  const { text, segments } = readTranscript(transcript);
  if (segments === null) {
    const excerpt = excerptOf(text, queryTerms, isLate);
    return excerpt && { field: 'transcript', ...excerpt, seconds: null };
  }
  let best: Highlight | undefined;
  for (const segment of segments) {
    if (isLate()) break;
    const excerpt = excerptOf(segment.text, queryTerms, isLate);
    if (excerpt && excerpt.marks.length > (best?.marks.length ?? 0))
      best = { field: 'transcript', ...excerpt, seconds: timeOf(segment, queryTerms) };
  }
  return best;
}

/** When the first match is said. If words have no times, the start of the segment. */
function timeOf({ words, start }: Segment, queryTerms: QueryTerms): number {
  const said = words.find(({ word }) => marksIn(word, queryTerms, () => false).length > 0);
  return said?.start ?? start;
}

function excerptOf(text: string, queryTerms: QueryTerms, isLate: () => boolean) {
  const marks = marksIn(text.slice(0, maxLengthLookedAt), queryTerms, isLate);
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

function marksIn(text: string, queryTerms: QueryTerms, isLate: () => boolean): Mark[] {
  const marks: Mark[] = [];
  let seen = 0;
  for (const { start, end, words } of writtenWords(text)) {
    seen += 1;
    if (seen % 500 === 0 && isLate()) break;
    if (words.some((word) => isMatch(word, queryTerms))) marks.push({ start, end });
  }
  return marks;
}

/** The mark whose excerpt holds the most marks. */
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
