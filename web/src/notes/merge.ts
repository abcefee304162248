import { diff3Merge } from 'node-diff3';

/** What a person writes in a note. */
export interface Text {
  title: string;
  content: string;
}

interface Merged {
  text: string;
  /** Both changed the same place. The text has both there, one after the other. */
  overlaps: boolean;
}

/** Comparing this many pairs of words takes some tens of milliseconds. A longer paragraph counts as one place. */
const maxPairs = 4_000_000;

/** Joins two texts that were made from the same one: first by lines, then by the words of a line that both changed. */
export function merge(base: Text, mine: Text, theirs: Text): { text: Text; overlaps: boolean } {
  const title = mergeWords(base.title, mine.title, theirs.title);
  const content = mergeLines(base.content, mine.content, theirs.content);
  const both = title.overlaps ? `${mine.title} / ${theirs.title}` : title.text;
  return { text: { title: both, content: content.text }, overlaps: title.overlaps || content.overlaps };
}

function mergeLines(base: string, mine: string, theirs: string): Merged {
  const plain = withoutQuestion(base, mine, theirs);
  if (plain !== undefined) return { text: plain, overlaps: false };
  let overlaps = false;
  const lines = diff3Merge(mine.split('\n'), base.split('\n'), theirs.split('\n')).flatMap((part) => {
    if (part.ok) return part.ok;
    if (!part.conflict) return [];
    const { a, o, b } = part.conflict;
    const words = mergeWords(o.join('\n'), a.join('\n'), b.join('\n'));
    if (!words.overlaps) return [words.text];
    overlaps = true;
    return [...a, ...b];
  });
  return { text: lines.join('\n'), overlaps };
}

function mergeWords(base: string, mine: string, theirs: string): Merged {
  const plain = withoutQuestion(base, mine, theirs);
  if (plain !== undefined) return { text: plain, overlaps: false };
  const [a, o, b] = [wordsOf(mine), wordsOf(base), wordsOf(theirs)];
  if (Math.max(a.length, b.length) * o.length > maxPairs) return { text: mine, overlaps: true };
  let overlaps = false;
  const words = diff3Merge(a, o, b).flatMap((part) => {
    if (part.ok) return part.ok;
    if (!part.conflict) return [];
    const contained = longerOf(part.conflict);
    if (contained) return contained;
    overlaps = true;
    return part.conflict.a;
  });
  return { text: words.join(''), overlaps };
}

function withoutQuestion(base: string, mine: string, theirs: string): string | undefined {
  if (mine === theirs || theirs === base) return mine;
  return mine === base ? theirs : undefined;
}

const wordsOf = (text: string) => text.match(/[\p{L}\p{N}\p{M}]+|\s|[^\p{L}\p{N}\p{M}\s]/gu) ?? [];

/**
 * Both added words in one place, and one of them has everything that the other wrote: somebody went on from a text whose
 * writer never got the answer that it was saved.
 */
function longerOf({ a, o, b }: { a: string[]; o: string[]; b: string[] }): string[] | undefined {
  if (!isWithin(o, a) || !isWithin(o, b)) return undefined;
  return isWithin(a, b) ? b : isWithin(b, a) ? a : undefined;
}

/** Whether these words are all there, in their order. */
function isWithin(words: readonly string[], text: readonly string[]): boolean {
  let found = 0;
  for (const word of text) if (word === words[found]) found += 1;
  return found === words.length;
}
