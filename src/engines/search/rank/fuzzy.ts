/** Fuzzy lookup in a list of up to some 200,000 words. */
export interface Vocabulary {
  /** Words within `distance` edits (letters added, left out, changed, or two neighbours swapped), at most 500. */
  near(word: string, distance: number): { word: string; distance: number }[];
  /** Longer words with this ending, at most 500. */
  endingWith(tail: string): string[];
}

const maxFound = 500;
const minHeadLetters = 2;

interface Bucket {
  words: string[];
  /** One bit for each letter of the word: two edits change at most four bits. */
  letters: Uint32Array;
}

/** Words are grouped by length, each with the set of its letters: comparing those excludes most words. */
export function createVocabulary(words: Iterable<string>): Vocabulary {
  const byLength = new Map<number, string[]>();
  for (const word of words) {
    const same = byLength.get(word.length);
    if (same) same.push(word);
    else byLength.set(word.length, [word]);
  }
  const buckets = new Map<number, Bucket>();
  for (const [length, same] of byLength)
    buckets.set(length, { words: same, letters: Uint32Array.from(same, lettersOf) });

  return {
    near(word, distance) {
      const letters = lettersOf(word);
      const found: { word: string; distance: number }[] = [];
      for (let length = word.length - distance; length <= word.length + distance; length += 1) {
        const bucket = buckets.get(length);
        if (!bucket) continue;
        for (let at = 0; at < bucket.letters.length; at += 1) {
          if (bitCount((bucket.letters[at] ?? 0) ^ letters) > 2 * distance) continue;
          const candidate = bucket.words[at] ?? '';
          const edits = editDistance(word, candidate, distance);
          if (edits <= distance) found.push({ word: candidate, distance: edits });
          if (found.length === maxFound) return found;
        }
      }
      return found;
    },
    endingWith(tail) {
      const found: string[] = [];
      for (const [length, { words: same }] of buckets) {
        if (length < tail.length + minHeadLetters) continue;
        for (const word of same) if (word.endsWith(tail) && found.length < maxFound) found.push(word);
      }
      return found;
    },
  };
}

function lettersOf(word: string): number {
  let bits = 0;
  for (let at = 0; at < word.length; at += 1) bits |= 1 << (word.charCodeAt(at) & 31);
  return bits >>> 0;
}

function bitCount(bits: number): number {
  let rest = bits - ((bits >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return (((rest + (rest >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

// Words end at 64 code points, two UTF-16 units each. The three rows are reused: nothing here is asynchronous.
const rowLength = 2 * 64 + 2;
let [beforeLast, last, current] = [0, 0, 0].map(() => new Uint8Array(rowLength)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

/** Optimal string alignment; anything above `max` comes back as `max + 1`. */
export function editDistance(one: string, other: string, max: number): number {
  if (Math.abs(one.length - other.length) > max) return max + 1;
  for (let column = 0; column <= other.length; column += 1) last[column] = column;
  for (let row = 1; row <= one.length; row += 1) {
    const letter = one.charCodeAt(row - 1);
    const from = Math.max(1, row - max);
    const to = Math.min(other.length, row + max);
    current[from - 1] = from === 1 ? row : max + 1;
    let best = current[from - 1] ?? 0;
    for (let column = from; column <= to; column += 1) {
      const same = letter === other.charCodeAt(column - 1);
      let edits = (last[column - 1] ?? 0) + (same ? 0 : 1);
      if (column < row + max) edits = Math.min(edits, (last[column] ?? 0) + 1);
      edits = Math.min(edits, (current[column - 1] ?? 0) + 1);
      if (
        row > 1 &&
        column > 1 &&
        letter === other.charCodeAt(column - 2) &&
        one.charCodeAt(row - 2) === other.charCodeAt(column - 1)
      )
        edits = Math.min(edits, (beforeLast[column - 2] ?? 0) + 1);
      current[column] = edits;
      if (edits < best) best = edits;
    }
    // No later row can be lower: even a swap costs at least as much as this row.
    if (best > max) return max + 1;
    [beforeLast, last, current] = [last, current, beforeLast];
  }
  return Math.min(max + 1, last[other.length] ?? max + 1);
}
