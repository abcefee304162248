import { changesOf } from '../lib/changes.ts';
import { type Place, places } from './places.ts';

/** What a person writes in a note. */
export interface Text {
  title: string;
  content: string;
}

interface Merged {
  text: string;
  /** Both changed the same words. The text has what both wrote there, one after the other. */
  overlaps: boolean;
}

/** More words in one place are not compared one by one. */
const maxWords = 20_000;

/**
 * Joins two texts that were made from the same one: first by paragraphs, then by the words of a paragraph that both changed. It
 * asks only where both changed the same words; what both added in one place stands one after the other. `mayBeMine`: theirs
 * may go on from a save of mine whose answer was lost. Then what it has of mine is not repeated.
 */
export function merge(base: Text, mine: Text, theirs: Text, mayBeMine = false) {
  const title = mergeWords(base.title, mine.title, theirs.title, mayBeMine);
  const content = mergeParagraphs(base.content, mine.content, theirs.content, mayBeMine);
  const both = title.overlaps ? `${mine.title} / ${theirs.title}` : title.text;
  return { text: { title: both, content: content.text }, overlaps: title.overlaps || content.overlaps };
}

function mergeParagraphs(base: string, mine: string, theirs: string, mayBeMine: boolean): Merged {
  const plain = withoutQuestion(base, mine, theirs);
  if (plain !== undefined) return { text: plain, overlaps: false };
  let overlaps = false;
  const all = [paragraphsOf(base), paragraphsOf(mine), paragraphsOf(theirs)] as const;
  const merged = places(mayBeMine ? withShared(...all) : all[0], all[1], all[2]).map((place) => {
    if ('text' in place) return place.text;
    const { a, o, b } = place;
    if (o.length === 0 && !mayBeMine) return joinedLines(a, b);
    const words = mergeWords(o.join(''), a.join(''), b.join(''), mayBeMine);
    overlaps ||= words.overlaps;
    // Each may have taken away another end of a line.
    return /[^\n]$/.test(words.text.slice(-1)) ? `${words.text}\n` : words.text;
  });
  // The end of the last line was only lent.
  return { text: merged.join('').replace(/\n$/, ''), overlaps };
}

/** A line with the empty lines after it. The last one ends with the end of a line too, like the others. */
const paragraphsOf = (text: string): string[] => (text === '' ? [] : (`${text}\n`.match(/[^\n]*\n+/g) ?? []));

/** Lines that both added in one place. What both begin or end with is there once. */
function joinedLines(a: string[], b: string[]): string {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return [...a.slice(0, a.length - end), ...b.slice(start)].join('');
}

function mergeWords(base: string, mine: string, theirs: string, mayBeMine: boolean): Merged {
  const plain = withoutQuestion(base, mine, theirs);
  if (plain !== undefined) return { text: plain, overlaps: false };
  const inLines = { text: mine.endsWith('\n') ? mine + theirs : `${mine}\n${theirs}`, overlaps: true };
  const [a, before, b] = [wordsOf(mine), wordsOf(base), wordsOf(theirs)];
  if (a.length + before.length + b.length > maxWords) return inLines;
  const o = mayBeMine ? withShared(before, a, b) : before;
  let overlaps = false;
  let text = '';
  let hasShared = false;
  for (const place of places(o, a, b)) {
    if ('text' in place) {
      hasShared ||= place.text.trim() !== '';
      text = apart(text, ' ', place.text);
      continue;
    }
    // Two spellings of a line are two lines.
    if (isOneWord(place)) return inLines;
    const clear = withoutAsking(place, mayBeMine);
    overlaps ||= clear === undefined;
    text = apart(text, ' ', clear ?? ofBoth(place));
  }
  const isWhole = overlaps && !hasShared && !sharesWords(a, b);
  return isWhole ? inLines : { text, overlaps };
}

/**
 * The base of a text that theirs may go on from: what both have that it did not have came from mine, and is no addition of
 * either. Otherwise the space before a word in one of them and after it in the other would make two words of it.
 */
function withShared(o: readonly string[], a: readonly string[], b: readonly string[]): string[] {
  const shared = commonOf(a, b);
  const known: string[] = [];
  let at = 0;
  for (const { to, start, end } of changesOf(o, shared)) {
    known.push(...o.slice(at, to), ...shared.slice(start, end));
    at = to;
  }
  return [...known, ...o.slice(at)];
}

function commonOf(a: readonly string[], b: readonly string[]): string[] {
  const common: string[] = [];
  let at = 0;
  for (const { from, to } of changesOf(a, b)) {
    common.push(...a.slice(at, from));
    at = to;
  }
  return [...common, ...a.slice(at)];
}

const sharesWords = (a: readonly string[], b: readonly string[]) =>
  a.some((word) => word.trim() !== '' && b.includes(word));

/** What either wrote, and what both wrote once. */
function ofBoth({ a, b }: Pick<Disputed, 'a' | 'b'>): string {
  let text = '';
  let at = 0;
  for (const { to, start, end } of changesOf(a, b)) {
    text = apart(text, ' ', a.slice(at, to).join(''));
    text = apart(text, ' ', b.slice(start, end).join(''));
    at = to;
  }
  return apart(text, ' ', a.slice(at).join(''));
}

/** A letter with its marks is part of a word. */
const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}\p{M}]+|\s|[^\p{L}\p{N}\p{M}\s]/gu) ?? [];

type Disputed = Exclude<Place, { text: string }>;

/** “word” and “words”, added in one place. */
function isOneWord({ a, o, b }: Disputed): boolean {
  const [shorter, longer] = a.length <= b.length ? [a, b] : [b, a];
  const last = shorter.at(-1) ?? '';
  const same = shorter.slice(0, -1).every((word, at) => word === longer[at]);
  const there = longer[shorter.length - 1] ?? '';
  return o.length === 0 && same && last !== there && (there.startsWith(last) || last.startsWith(there));
}

/** What becomes of words that both changed, if it is clear. */
function withoutAsking({ a, o, b }: Disputed, mayBeMine: boolean): string | undefined {
  const [one, other] = [a.join(''), b.join('')];
  if (mayBeMine && isWithin(o, a) && isWithin(o, b)) {
    if (isWithin(a, b)) return other;
    if (isWithin(b, a)) return one;
  }
  if (o.length > 0) return undefined;
  // Both added the same words, and one of them more.
  if (a.every((word, at) => word === b[at])) return other;
  if (b.every((word, at) => word === a[at])) return one;
  return apart(one, ' ', other);
}

/** So that no word is glued to another one: the space between them may be gone with a third. */
const apart = (one: string, between: string, other: string) =>
  letterAtEnd.test(one.slice(-2)) && letterAtStart.test(other.slice(0, 2))
    ? one + between + other
    : one + other;
const letterAtEnd = /[\p{L}\p{N}\p{M}]$/u;
const letterAtStart = /^[\p{L}\p{N}\p{M}]/u;

function withoutQuestion(base: string, mine: string, theirs: string): string | undefined {
  if (mine === theirs || theirs === base) return mine;
  return mine === base ? theirs : undefined;
}

/** Whether a text may have been written from this one: all its words are there. */
export const goesOnFrom = (text: Text, start: Text) =>
  isWithin(wordsOf(start.content), wordsOf(text.content));

/** Whether these words are all there, in their order. */
function isWithin(words: readonly string[], text: readonly string[]): boolean {
  let found = 0;
  for (const word of text) if (word === words[found]) found += 1;
  return found === words.length;
}
