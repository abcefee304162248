import { fieldSeparator } from '../analyse/analyser.ts';

/** The posting list of a term in one segment. */
export interface Postings {
  /** Ordinals of the notes in the segment, ascending. */
  readonly places: Uint32Array;
  /** Term frequencies. A word in the title counts `titleWeight` times. */
  readonly counts: Uint8Array;
}

/** Some notes of one owner. A stored segment never changes: notes that left it are dead. */
export interface Segment {
  /** The entry of each note, ascending. */
  readonly entries: Float64Array;
  /** How many words each note has. */
  readonly lengths: Uint32Array;
}

export const sumOf = (lengths: Uint32Array): number => lengths.reduce((sum, length) => sum + length, 0);

export interface BuiltSegment extends Segment {
  /** Made on demand: two typed arrays take more memory than most posting lists. */
  readonly postings: (term: string) => Postings | undefined;
  readonly terms: readonly string[];
}

// More helped only those queries that it was tuned on: bench/search/README.md.
const titleWeight = 4;
const maxCount = 255;
const [firstMark, lastMark] = [0xe000, 0xf8ff];

export interface IndexedText {
  entry: number;
  text: string;
}

export function buildSegment(texts: readonly IndexedText[]): BuiltSegment {
  const inOrder = [...texts].sort((one, other) => one.entry - other.entry);
  const lengths = new Uint32Array(inOrder.length);
  const collected = new Map<string, { places: number[]; counts: number[] }>();
  inOrder.forEach(({ text }, place) => {
    let weight = titleWeight;
    for (const term of text.split(' ')) {
      if (term === '\n') weight = 1;
      if (term === '' || term === '\n' || term === fieldSeparator) continue;
      if (term.charCodeAt(0) < firstMark || term.charCodeAt(0) > lastMark)
        lengths[place] = (lengths[place] ?? 0) + 1;
      const found = collected.get(term);
      const last = found ? found.places.length - 1 : 0;
      // Not an empty array to push to: that reserves 17 elements, and most terms are in one note.
      if (!found) collected.set(term, { places: [place], counts: [weight] });
      else if (found.places[last] === place)
        found.counts[last] = Math.min(maxCount, (found.counts[last] ?? 0) + weight);
      else {
        found.places.push(place);
        found.counts.push(weight);
      }
    }
  });
  return {
    entries: Float64Array.from(inOrder, ({ entry }) => entry),
    lengths,
    terms: [...collected.keys()],
    postings(term) {
      const found = collected.get(term);
      return found && { places: Uint32Array.from(found.places), counts: Uint8Array.from(found.counts) };
    },
  };
}

/** Differences of ordinals as varints. Their lowest bit says that a term frequency above one follows. */
export function encodePostings({ places, counts }: Postings): Uint8Array {
  const bytes = new Uint8Array(places.length * 7);
  let end = 0;
  let before = 0;
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] ?? 0;
    const count = counts[at] ?? 1;
    let step = (place - before) * 2 + (count > 1 ? 1 : 0);
    before = place;
    for (; step > 127; step = Math.floor(step / 128)) bytes[end++] = (step % 128) | 128;
    bytes[end++] = step;
    if (count > 1) bytes[end++] = count;
  }
  return bytes.slice(0, end);
}

export function decodePostings(bytes: Uint8Array, notes: number): Postings {
  const places = new Uint32Array(notes);
  const counts = new Uint8Array(notes);
  let read = 0;
  let place = 0;
  for (let at = 0; at < notes; at += 1) {
    let byte = bytes[read++] ?? 0;
    let step = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = bytes[read++] ?? 0;
      step |= (byte & 127) << shift;
    }
    place += step >>> 1;
    places[at] = place;
    counts[at] = step & 1 ? (bytes[read++] ?? 1) : 1;
  }
  return { places, counts };
}
