import { type Segment, sharedTimes } from './transcript.ts';

interface Cue {
  start: number;
  end: number;
  lines: string[];
  /** Null if there is one speaker, or the speakers are unknown. */
  speaker: string | null;
}

/** What fits on a screen and can be read in time, from broadcasters' guides. */
const longestLine = 42;
const mostLines = 2;
const shortestSeconds = 1;
const longestSeconds = 7;
const readLettersPerSecond = 20;
/** A single word joins its neighbour if the pause between them is shorter than this. */
const joinedPauseSeconds = 1;
/** If a cue begins the moment the previous one ends, players show both for a millisecond. */
const gapSeconds = 0.001;
const paragraphPauseSeconds = 1.5;

/** No cue lasts beyond `endSeconds`, the length of the recording. */
export function toSrt(segments: readonly Segment[], endSeconds = Number.POSITIVE_INFINITY): string {
  return toCues(segments, endSeconds)
    .map(({ start, end, lines, speaker }, i, cues) => {
      // The name appears once, when the speaker changes.
      const name = speaker !== null && speaker !== cues[i - 1]?.speaker ? `${speaker}: ` : '';
      return `${i + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${name}${lines.join('\n')}\n`;
    })
    .join('\n');
}

export function toVtt(segments: readonly Segment[], endSeconds = Number.POSITIVE_INFINITY): string {
  const cues = toCues(segments, endSeconds).map(
    ({ start, end, lines, speaker }) =>
      `${clock(start, '.')} --> ${clock(end, '.')}\n${speaker === null ? '' : `<v ${escapeVtt(speaker)}>`}${lines.map(escapeVtt).join('\n')}\n`,
  );
  return ['WEBVTT\n', ...cues].join('\n');
}

/** The text, with a new paragraph after each long pause and at each change of speaker. */
export function toParagraphs(segments: readonly Segment[]): string {
  let text = '';
  let end = 0;
  let speaker = segments[0]?.speaker;
  for (const segment of segments) {
    const words = segment.text.replace(/\s+/g, ' ').trim();
    if (words === '') continue;
    const isNew = segment.start - end >= paragraphPauseSeconds || segment.speaker !== speaker;
    if (text !== '') text += isNew ? '\n\n' : ' ';
    text += words;
    ({ end, speaker } = segment);
  }
  return text;
}

interface TimedWord {
  word: string;
  start: number;
  end: number;
}

function toCues(segments: readonly Segment[], endSeconds: number): readonly Cue[] {
  const hasSeveral = new Set(segments.map(({ speaker }) => speaker)).size > 1;
  const cues = segments.flatMap((segment) => {
    const speaker = hasSeveral && segment.speaker !== null ? clean(segment.speaker) : null;
    return packWords(timedWords(segment)).map((cue) => ({ ...cue, speaker }));
  });
  return endingBy(endSeconds, withoutOverlap(cues.sort((a, b) => a.start - b.start)));
}

/** The words with their times. Without times, each word gets a share of the segment by its length. */
function timedWords({ text, start, end, words }: Segment): TimedWord[] {
  const told = words.map(({ word, start, end }) => ({ word: clean(word), start, end }));
  const written = clean(text).split(' ').filter(Boolean);
  const isSame = told.length > 0 && told.map(({ word }) => word).join('') === written.join('');
  const parts = isSame ? told : sharedTimes(written, start, end);
  return parts.filter(({ word }) => word !== '').flatMap(breakLongWord);
}

/** Control characters would end a cue early; U+2028 and U+2029 break lines in some players. */
const clean = (text: string) =>
  text
    .replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
    .replace(/-->/g, '→')
    .trim();

/** In a language without spaces, a sentence is one long word. */
function breakLongWord({ word, start, end }: TimedWord): TimedWord[] {
  const letters = [...word];
  if (letters.length <= longestLine) return [{ word, start, end }];
  const count = Math.ceil(letters.length / longestLine);
  return Array.from({ length: count }, (_, i) => ({
    word: letters.slice(i * longestLine, (i + 1) * longestLine).join(''),
    start: start + ((end - start) * i) / count,
    end: start + ((end - start) * (i + 1)) / count,
  }));
}

interface Packing {
  /** The cost of all cues up to here, and the last cue. */
  cost: number;
  cue: Cue | null;
  before: Packing | null;
}

/** The cheapest way to split the words into cues; a single word always fits. */
function packWords(words: readonly TimedWord[]): Cue[] {
  const best: Packing[] = [{ cost: 0, cue: null, before: null }];
  for (let to = 1; to <= words.length; to++) {
    let cheapest: Packing | undefined;
    for (let from = to - 1; from >= 0; from--) {
      const before = best[from];
      const cue = cueOf(words.slice(from, to));
      if (!before || !cue) break;
      const cost = before.cost + costOf(cue, to - from, words[to]);
      if (!cheapest || cost < cheapest.cost) cheapest = { cost, cue, before };
    }
    if (cheapest) best.push(cheapest);
  }
  const cues: Cue[] = [];
  for (let at = best.at(-1); at?.cue && at.before; at = at.before) cues.unshift(at.cue);
  return cues;
}

function cueOf(words: readonly TimedWord[]): Cue | null {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last || (words.length > 1 && last.end - first.start > longestSeconds)) return null;
  const lines = words
    .slice(1)
    .reduce<string[] | null>((all, { word }) => all && addWord(all, word), [first.word]);
  return lines && { start: first.start, end: last.end, lines, speaker: null };
}

/** Prefers few cues of equal length that end at a comma or a pause, and none of a single word. */
function costOf(cue: Cue, words: number, next: TimedWord | undefined): number {
  const letters = cue.lines.join(' ').length / (mostLines * longestLine);
  const endsWell = !next || /[,;:.?!]$/.test(cue.lines.at(-1) ?? '') || next.start - cue.end > 0.3;
  return 1 + letters ** 2 / 2 + (words === 1 ? 1 : 0) + (endsWell ? 0 : 0.2);
}

/** The lines with the word added; null when there is no room. */
function addWord(lines: readonly string[], word: string): string[] | null {
  const last = lines.at(-1) ?? '';
  if ([...`${last} ${word}`].length <= longestLine) return [...lines.slice(0, -1), `${last} ${word}`];
  return lines.length < mostLines ? [...lines, word] : null;
}

/**
 * A cue stays for at least a second, and for as long as it takes to read if there is time. If the next one comes within that
 * second, or one of the two is a single word, they are shown together. If they do not fit, the next one waits.
 */
function withoutOverlap(cues: readonly Cue[]): Cue[] {
  const fixed: (Cue & { spoken: number })[] = [];
  for (const cue of cues) {
    const last = fixed.at(-1);
    const free = last ? last.start + shortestSeconds + gapSeconds : 0;
    const isAlone = last !== undefined && (isWord(last) || isWord(cue));
    if (last && (cue.start < free || (isAlone && cue.start - last.spoken < joinedPauseSeconds))) {
      const together = cue.speaker === last.speaker ? mergeLines(last.lines, cue.lines) : null;
      if (together && cue.end - last.start <= longestSeconds) {
        fixed.pop();
        fixed.push(
          shown({ ...cue, lines: together, start: last.start, end: Math.max(last.spoken, cue.end) }),
        );
        continue;
      }
    }
    const start = Math.max(0, cue.start, free);
    if (last && last.end > start - gapSeconds) last.end = start - gapSeconds;
    fixed.push(shown({ ...cue, start }));
  }
  return fixed;
}

const isWord = ({ lines }: Cue) => !lines.join(' ').includes(' ');

/** A cue with its time on the screen; `spoken` is when its last word ended. */
function shown(cue: Cue): Cue & { spoken: number } {
  const { lines, start, end } = cue;
  const reading = lines.join(' ').length / readLettersPerSecond;
  const length = Math.min(longestSeconds, Math.max(shortestSeconds, reading, end - start));
  return { ...cue, end: start + length, spoken: end };
}

/** A cue that would outlast the recording ends earlier, and begins earlier if it is short. */
function endingBy(endSeconds: number, cues: readonly Cue[]): readonly Cue[] {
  let limit = endSeconds;
  const moved = cues
    .toReversed()
    .map((cue) => {
      const end = Math.min(cue.end, limit);
      const start = Math.min(cue.start, end - shortestSeconds);
      limit = start - gapSeconds;
      return { ...cue, start, end };
    })
    .toReversed();
  // Drops cues that do not fit into the recording: they were not said in it.
  return (moved[0]?.start ?? 0) < 0 ? cues : moved;
}

const mergeLines = (lines: readonly string[], more: readonly string[]) =>
  more
    .join(' ')
    .split(' ')
    .reduce<string[] | null>((joined, word) => joined && addWord(joined, word), [...lines]);

function clock(seconds: number, point: ',' | '.'): string {
  const ms = Math.round(seconds * 1000);
  const two = (n: number) => String(n).padStart(2, '0');
  const [h, m, s] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${two(h)}:${two(m)}:${two(s)}${point}${String(ms % 1000).padStart(3, '0')}`;
}

const escapeVtt = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
