import type { Voice } from './describe-voices.ts';

/** A time in which one person speaks, by their number. */
export interface Turn {
  start: number;
  end: number;
  person: number;
}

/** A window stands for its middle: between two of them the next one begins halfway, and the outermost reach to their ends. */
export function turnsOf(voices: readonly Voice[], people: readonly number[]): Turn[] {
  const turns: Turn[] = [];
  for (const [i, { start, end }] of voices.entries()) {
    const person = people[i] ?? 0;
    const middle = (start + end) / 2;
    const before = voices[i - 1];
    const from = before && before.end > start ? ((before.start + before.end) / 2 + middle) / 2 : start;
    const last = turns.at(-1);
    if (last && last.end > from) last.end = from;
    if (last && last.person === person && last.end >= from) last.end = end;
    else turns.push({ start: from, end, person });
  }
  return turns;
}

/** Who speaks most of the time from `start` to `end`, or else nearest to it. Turns are in the order of time. */
export function personIn(turns: readonly Turn[], start: number, end: number): number {
  const seconds = new Map<number, number>();
  let nearest = { distance: Number.POSITIVE_INFINITY, person: 0 };
  for (const turn of turns) {
    const shared = Math.min(end, turn.end) - Math.max(start, turn.start);
    if (shared > 0) seconds.set(turn.person, (seconds.get(turn.person) ?? 0) + shared);
    else if (-shared < nearest.distance) nearest = { distance: -shared, person: turn.person };
  }
  const most = [...seconds].sort(([, a], [, b]) => b - a)[0];
  return most ? most[0] : nearest.person;
}
