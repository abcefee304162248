import type { Piece } from '../recogniser.ts';
import type { SpeakerEmbedding } from './embed.ts';

/** A time in which one person speaks, by their number. */
export interface Turn {
  start: number;
  end: number;
  person: number;
}

/** A window stands for its middle: between two of them the next one begins halfway, and the outermost reach to their ends. */
export function turnsOf(embeddings: readonly SpeakerEmbedding[], people: readonly number[]): Turn[] {
  const turns: Turn[] = [];
  for (const [i, { start, end }] of embeddings.entries()) {
    const person = people[i] ?? 0;
    const middle = (start + end) / 2;
    const before = embeddings[i - 1];
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

/** A word near a change of speaker may be a little off: within so many words the change goes to the widest gap. */
const snapWords = 2;
/** The end of a sentence counts as much as a pause of this length. */
const sentenceSeconds = 0.5;

/** Who says each word. Somebody takes over at a pause or after a sentence, rarely in the middle of either. */
export function speakersOfWords(words: readonly Piece[], turns: readonly Turn[]): number[] {
  const people = words.map(({ start, end }) => personIn(turns, start, end));
  for (let i = 1; i < words.length; i++) {
    const [before, after] = [people[i - 1] ?? 0, people[i] ?? 0];
    if (before === after) continue;
    const at = widestGap(words, people, i);
    people.fill(after, at, Math.max(at, i));
    people.fill(before, i, Math.max(at, i));
    i = Math.max(at, i);
  }
  return people;
}

/** Where a change from one person to another at `change` best goes; both must keep a word. */
function widestGap(words: readonly Piece[], people: readonly number[], change: number): number {
  let best = { at: change, width: 0 };
  for (let at = change - snapWords; at <= change + snapWords; at++) {
    const [left, right] = [Math.min(at, change), Math.max(at, change)];
    const between = people.slice(left, right);
    const owner = people[at < change ? change - 1 : change];
    const isWithin = at >= 1 && at < words.length && between.every((person) => person === owner);
    if (!isWithin || people[at - 1] === undefined || !keepsAWord(people, change, at)) continue;
    const width = gapBefore(words, at);
    if (width > best.width + 0.05) best = { at, width };
  }
  return best.at;
}

const keepsAWord = (people: readonly number[], change: number, at: number) =>
  at <= change ? people[at - 1] === people[change - 1] : people[at] === people[change];

function gapBefore(words: readonly Piece[], at: number): number {
  const [before, after] = [words[at - 1], words[at]];
  if (!before || !after) return 0;
  const pause = Math.max(0, after.start - before.end);
  return pause + (endsSentence(before.text.trim()) ? sentenceSeconds : 0);
}

/** Whether a word is the last one of a sentence, in the scripts of Whisper's languages. */
export const endsSentence = (word: string) => /[.?!…。！？؟।።]["”’»)」』]*$/.test(word);
