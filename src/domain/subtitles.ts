import type { Segment } from './transcript.ts';

interface Cue {
  start: number;
  end: number;
  lines: string[];
}

/** What fits on a screen and can be read in time, from the guides of broadcasters. */
const longestLine = 42;
const mostLines = 2;
const shortestSeconds = 1;
const longestSeconds = 7;
/** When a cue begins at the moment the one before ends, players show both for a millisecond. */
const gapSeconds = 0.001;
const paragraphPauseSeconds = 1.5;

export function toSrt(segments: readonly Segment[]): string {
  return toCues(segments)
    .map(
      ({ start, end, lines }, i) =>
        `${i + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${lines.join('\n')}\n`,
    )
    .join('\n');
}

export function toVtt(segments: readonly Segment[]): string {
  const cues = toCues(segments).map(
    ({ start, end, lines }) =>
      `${clock(start, '.')} --> ${clock(end, '.')}\n${lines.map(escapeVtt).join('\n')}\n`,
  );
  return ['WEBVTT\n', ...cues].join('\n');
}

/** The text with a new paragraph after each long pause. */
export function toParagraphs(segments: readonly Segment[]): string {
  let text = '';
  let end = 0;
  for (const segment of segments) {
    const words = segment.text.replace(/\s+/g, ' ').trim();
    if (words === '') continue;
    if (text !== '') text += segment.start - end >= paragraphPauseSeconds ? '\n\n' : ' ';
    text += words;
    end = segment.end;
  }
  return text;
}

interface TimedWord {
  word: string;
  start: number;
  end: number;
}

function toCues(segments: readonly Segment[]): Cue[] {
  const cues = segments.flatMap((segment) => packWords(timedWords(segment)));
  return withoutOverlap(cues.sort((a, b) => a.start - b.start));
}

/** The words with their times. Where there are none, each word gets its share of the segment by its length. */
function timedWords({ text, start, end, words }: Segment): TimedWord[] {
  const told = words.map(({ word, start, end }) => ({ word: clean(word), start, end }));
  const written = clean(text).split(' ').filter(Boolean);
  const parts =
    told.length > 0 && told.map(({ word }) => word).join('') === written.join('') ? told : spread();
  return parts.filter(({ word }) => word !== '').flatMap(breakLongWord);

  function spread(): TimedWord[] {
    const total = written.reduce((sum, word) => sum + word.length, 0);
    const share = Math.max(0, end - start) / Math.max(1, total);
    let at = start;
    return written.map((word) => {
      const from = at;
      at += word.length * share;
      return { word, start: from, end: at };
    });
  }
}

/** Control characters would end a cue early; U+2028 and U+2029 break lines in some players. */
const clean = (text: string) =>
  text
    .replace(/[\p{Cc}\u2028\u2029\s]+/gu, ' ')
    .replace(/-->/g, '→')
    .trim();

/** A sentence of a language without spaces is one long word. */
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

function packWords(words: readonly TimedWord[]): Cue[] {
  const cues: Cue[] = [];
  for (const { word, start, end } of words) {
    const cue = cues.at(-1);
    const lines = cue && end - cue.start <= longestSeconds ? addWord(cue.lines, word) : null;
    if (cue && lines) {
      cue.lines = lines;
      cue.end = end;
    } else cues.push({ start, end, lines: [word] });
  }
  return cues;
}

/** The lines with the word added; null when there is no room. */
function addWord(lines: readonly string[], word: string): string[] | null {
  const last = lines.at(-1) ?? '';
  if ([...`${last} ${word}`].length <= longestLine) return [...lines.slice(0, -1), `${last} ${word}`];
  return lines.length < mostLines ? [...lines, word] : null;
}

/**
 * A short cue stays for a second. When the next one comes sooner, the two are shown together, or the next one waits
 * if they do not fit on the screen.
 */
function withoutOverlap(cues: readonly Cue[]): Cue[] {
  const fixed: Cue[] = [];
  for (const cue of cues) {
    const last = fixed.at(-1);
    const free = last ? last.start + shortestSeconds + gapSeconds : 0;
    if (last && cue.start < free) {
      const together = mergeLines(last.lines, cue.lines);
      if (together && cue.end - last.start <= longestSeconds) {
        last.lines = together;
        last.end = Math.max(last.end, cue.end);
        continue;
      }
    }
    const start = Math.max(0, cue.start, free);
    if (last && last.end > start - gapSeconds) last.end = start - gapSeconds;
    const length = Math.min(longestSeconds, Math.max(shortestSeconds, cue.end - start));
    fixed.push({ lines: cue.lines, start, end: start + length });
  }
  return fixed;
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
