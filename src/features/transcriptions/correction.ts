import { type Segment, sharedTimes, toMilliseconds, type Word } from '../../domain/transcript.ts';

/** Comparing more words would keep other requests waiting; beyond it, all words in between share their time. */
const maxComparisons = 1_000_000;

/**
 * The segment with another text. Words that stay keep their times and scores; new ones share the time of those that they
 * replace, and have no score, because the engine did not recognise them.
 */
export function corrected(segment: Segment, text: string): Segment {
  const { words } = segment;
  const written = text.split(/\s+/).filter(Boolean);
  if (words.length === 0) return { ...segment, text: written.join(' ') };
  const fixed: Word[] = [];
  let [old, next] = [0, 0];
  for (const [oldEnd, nextEnd] of [...staying(words, written), [words.length, written.length] as const]) {
    const start = words[old]?.start ?? fixed.at(-1)?.end ?? segment.start;
    const end = oldEnd > old ? (words[oldEnd - 1]?.end ?? start) : (words[oldEnd]?.start ?? segment.end);
    const from = oldEnd > old ? start : (fixed.at(-1)?.end ?? segment.start);
    fixed.push(...shared(written.slice(next, nextEnd), from, Math.max(from, end)));
    const stays = words[oldEnd];
    if (stays && nextEnd < written.length) fixed.push(stays);
    [old, next] = [oldEnd + 1, nextEnd + 1];
  }
  return { ...segment, text: written.join(' '), words: fixed };
}

/** What a person has confirmed has no score: the engine's doubt is over. */
export const certain = (segment: Segment): Segment => ({
  ...segment,
  words: segment.words.map((word) => ({ ...word, score: null })),
});

/** The longest common subsequence of words, as [index before, index now]. */
function staying(words: readonly Word[], written: readonly string[]): [number, number][] {
  const heard = words.map(({ word }) => word.trim());
  let start = 0;
  while (start < heard.length && start < written.length && heard[start] === written[start]) start += 1;
  let tail = 0;
  const longest = Math.min(heard.length, written.length) - start;
  while (tail < longest && heard[heard.length - 1 - tail] === written[written.length - 1 - tail]) tail += 1;
  const middle = longestRow(
    heard.slice(start, heard.length - tail),
    written.slice(start, written.length - tail),
  );
  return [
    ...Array.from({ length: start }, (_, at): [number, number] => [at, at]),
    ...middle.map(([before, now]): [number, number] => [start + before, start + now]),
    ...Array.from({ length: tail }, (_, at): [number, number] => [
      heard.length - tail + at,
      written.length - tail + at,
    ]),
  ];
}

function longestRow(heard: readonly string[], written: readonly string[]): [number, number][] {
  if (heard.length * written.length > maxComparisons) return [];
  const width = written.length + 1;
  const lengths = new Uint16Array((heard.length + 1) * width);
  const at = (before: number, now: number) => lengths[before * width + now] ?? 0;
  for (let before = heard.length - 1; before >= 0; before--)
    for (let now = written.length - 1; now >= 0; now--)
      lengths[before * width + now] =
        heard[before] === written[now]
          ? at(before + 1, now + 1) + 1
          : Math.max(at(before + 1, now), at(before, now + 1));
  const row: [number, number][] = [];
  for (let before = 0, now = 0; before < heard.length && now < written.length; ) {
    if (heard[before] === written[now]) row.push([before++, now++]);
    else if (at(before + 1, now) >= at(before, now + 1)) before += 1;
    else now += 1;
  }
  return row;
}

const shared = (words: readonly string[], start: number, end: number): Word[] =>
  sharedTimes(words, start, end).map(({ word, ...times }) => ({
    word,
    start: toMilliseconds(times.start),
    end: toMilliseconds(times.end),
    score: null,
  }));
