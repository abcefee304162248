import type { Postings, Segment } from './postings.ts';

/** All living notes of the sources in order, and where each note of each source stands now; -1 for the dead. */
export function joinNotes(sources: readonly Segment[], dead: ReadonlySet<number>) {
  const notes: { entry: number; length: number; source: number; place: number }[] = [];
  const moves = sources.map(({ entries }) => new Int32Array(entries.length).fill(-1));
  for (const [source, { entries, lengths }] of sources.entries())
    for (const [place, entry] of entries.entries())
      if (!dead.has(entry)) notes.push({ entry, length: lengths[place] ?? 0, source, place });
  notes.sort((one, other) => one.entry - other.entry);
  for (const [at, { source, place }] of notes.entries()) {
    const move = moves[source];
    if (move) move[place] = at;
  }
  const entries = Float64Array.from(notes, ({ entry }) => entry);
  return { entries, lengths: Uint32Array.from(notes, ({ length }) => length), moves };
}

/** The postings of one term in all sources as those of the joined notes. */
export function movePostings(
  found: readonly (Postings | undefined)[],
  moves: readonly Int32Array[],
): Postings {
  const most = found.reduce((sum, postings) => sum + (postings?.places.length ?? 0), 0);
  const places = new Uint32Array(most);
  const counts = new Uint8Array(most);
  let notes = 0;
  let isInOrder = true;
  for (const [source, postings] of found.entries()) {
    const move = moves[source];
    if (!postings || !move) continue;
    for (let at = 0; at < postings.places.length; at += 1) {
      const place = move[postings.places[at] ?? 0] ?? -1;
      if (place < 0) continue;
      if (notes > 0 && place < (places[notes - 1] ?? 0)) isInOrder = false;
      places[notes] = place;
      counts[notes] = postings.counts[at] ?? 1;
      notes += 1;
    }
  }
  const moved = { places: places.subarray(0, notes), counts: counts.subarray(0, notes) };
  return isInOrder ? moved : inOrder(moved);
}

function inOrder({ places, counts }: Postings): Postings {
  const order = Uint32Array.from(places.keys()).sort(
    (one, other) => (places[one] ?? 0) - (places[other] ?? 0),
  );
  return {
    places: Uint32Array.from(order, (at) => places[at] ?? 0),
    counts: Uint8Array.from(order, (at) => counts[at] ?? 1),
  };
}
