import { stemmer } from '@orama/stemmers/english';
import { withoutMarks } from '../../lib/excerpt.ts';
import type { FoundNote } from '../../resources/note-list.ts';

const word = /[\p{L}\p{N}\p{M}'’]+/gu;

type Highlight = NonNullable<FoundNote['highlights']>[number];

/** Removes case and accents, which the server's search ignores. */
const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** The stemmer takes one letter too many off words in -ion: `discus` of discussion. */
const stemOf = (folded: string) => stemmer(folded.replace(/(?<=[st])ions?$/, ''));

/** Tells whether a word matches the search: by its stem, or by starting with the last word of the query. */
export function matcherOf(query: string): (candidate: string) => boolean {
  const asked = (query.match(word) ?? []).map(fold);
  const stems = new Set(asked.map(stemOf));
  const prefix = asked.at(-1) ?? '';
  return (candidate) => {
    const folded = fold(candidate);
    return (prefix.length > 1 && folded.startsWith(prefix)) || stems.has(stemOf(folded));
  };
}

/** The positions of the words that match, as [start, end]. */
export function findWords(text: string, query: string): [number, number][] {
  if (query === '') return [];
  const matches = matcherOf(query);
  const found: [number, number][] = [];
  for (const { 0: candidate, index } of text.matchAll(word))
    if (matches(candidate)) found.push([index, index + candidate.length]);
  return found;
}

/** The text with matching words marked. */
export const Marked = ({ text, query }: { text: string; query: string }) =>
  markedParts(text, findWords(text, query));

function markedParts(text: string, marks: readonly [number, number][], show = (part: string) => part) {
  const parts = [];
  let end = 0;
  for (const [from, to] of marks) {
    parts.push(show(text.slice(end, from)), <mark key={from}>{text.slice(from, to)}</mark>);
    end = to;
  }
  return [...parts, show(text.slice(end))];
}

/** An excerpt from the server, with the words that it found. A title is no Markdown. */
export function Highlighted({ field, text, marks }: Highlight) {
  return markedParts(
    text,
    marks.map(({ start, end }) => [start, end]),
    field === 'title' ? undefined : withoutMarks,
  );
}
