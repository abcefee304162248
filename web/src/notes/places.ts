import { type Change, changesOf } from '../lib/changes.ts';

/** A place in a text that two people changed: settled, or with what each of them (`a`, `b`) made of what was there (`o`). */
export type Place = { text: string } | { a: string[]; o: string[]; b: string[] };

/** One side: its tokens, its changes that are still to come, and how far it has moved from the base. */
interface Side {
  tokens: readonly string[];
  changes: Change[];
  moved: number;
}

/** Goes through the base in order. Two changes are in one place if both touch the same tokens, or add at the same point. */
export function places(o: readonly string[], a: readonly string[], b: readonly string[]): Place[] {
  const sides = [a, b].map((tokens): Side => ({ tokens, changes: changesOf(o, tokens), moved: 0 }));
  const result: Place[] = [];
  let at = 0;
  for (;;) {
    const first = earliest(sides.flatMap(({ changes }) => changes[0] ?? []));
    if (!first) break;
    const place = { from: first.from, to: first.to };
    const taken = sides.map((): Change[] => []);
    for (let isGrowing = true; isGrowing; ) {
      isGrowing = false;
      for (const [index, { changes }] of sides.entries())
        while (changes[0] && touches(changes[0], place)) {
          const change = changes.shift() as Change;
          place.to = Math.max(place.to, change.to);
          taken[index]?.push(change);
          isGrowing = true;
        }
    }
    if (place.from > at) result.push({ text: o.slice(at, place.from).join('') });
    result.push(placeOf(o.slice(place.from, place.to), place, sides, taken));
    at = place.to;
  }
  if (at < o.length) result.push({ text: o.slice(at).join('') });
  return result;
}

/** What is added before a token comes before what becomes of the token. */
const earliest = (changes: readonly Change[]) =>
  changes.toSorted((one, other) => one.from - other.from || one.to - other.to)[0];

function touches(change: Change, place: { from: number; to: number }): boolean {
  const isPoint = place.from === place.to;
  return isPoint ? change.from === place.from && change.to === place.to : change.from < place.to;
}

function placeOf(
  o: string[],
  { from, to }: { from: number; to: number },
  sides: readonly Side[],
  taken: readonly Change[][],
): Place {
  const [a = [], b = []] = sides.map((side, index) => {
    const start = from + side.moved;
    for (const change of taken[index] ?? []) side.moved = change.end - change.to;
    return side.tokens.slice(start, to + side.moved);
  });
  const [one, other] = [a.join(''), b.join('')];
  if (taken[1]?.length === 0 || one === other) return { text: one };
  if (taken[0]?.length === 0) return { text: other };
  const all = taken.flat();
  // No text of either side is in question: what one of them deleted is gone.
  if (all.every(({ start, end }) => start === end))
    return {
      text: o.filter((_, at) => !all.some((gone) => gone.from <= from + at && from + at < gone.to)).join(''),
    };
  return { a, o, b };
}
