import { stemmer } from 'stemmer';

const word = /[\p{L}\p{N}\p{M}'’]+/gu;
const excerptLength = 140;
const wordsBefore = 40;

/** Removes case and accents, which the server's search ignores. */
const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Tells whether a word matches the search: by its stem, or by starting with the last word of the query. */
export function matcherOf(query: string): (candidate: string) => boolean {
  const asked = (query.match(word) ?? []).map(fold);
  const stems = new Set(asked.map((one) => stemmer(one)));
  const prefix = asked.at(-1) ?? '';
  return (candidate) => {
    const folded = fold(candidate);
    return (prefix.length > 1 && folded.startsWith(prefix)) || stems.has(stemmer(folded));
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
export function Marked({ text, query }: { text: string; query: string }) {
  const parts = [];
  let end = 0;
  for (const [from, to] of findWords(text, query)) {
    parts.push(text.slice(end, from), <mark key={from}>{text.slice(from, to)}</mark>);
    end = to;
  }
  return [...parts, text.slice(end)];
}

/** A line or two of plain text from the note, around the first match. */
export function excerptOf(content: string, query: string): string {
  const plain = content
    .slice(0, 20_000)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(#{1,6}|[-*+>]|\d+\.)\s+/gm, '')
    .replace(/[*_`~]{1,3}/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const first = findWords(plain, query)[0]?.[0] ?? 0;
  const from = first > excerptLength / 2 ? plain.indexOf(' ', first - wordsBefore) + 1 : 0;
  return (from > 0 ? '… ' : '') + plain.slice(from, from + excerptLength);
}
