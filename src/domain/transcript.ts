import { z } from 'zod';
import { jsonIn } from '../lib/json.ts';

const word = z.object({
  word: z.string(),
  start: z.number(),
  end: z.number(),
  score: z.number().nullable(),
});
export type Word = z.infer<typeof word>;

/** A word's score is 0 to 1, or null if the engine gives none. */
export const segment = z
  .object({
    start: z.number().describe('In seconds.'),
    end: z.number().describe('In seconds.'),
    text: z.string(),
    speaker: z.string().nullable(),
    words: z.array(word),
  })
  .meta({ id: 'Segment' });
export type Segment = z.infer<typeof segment>;

/** Words without times share those of the text that they are in, by the length of each. */
export function sharedTimes(words: readonly string[], start: number, end: number) {
  const share = Math.max(0, end - start) / Math.max(1, words.join('').length);
  let at = start;
  return words.map((word) => {
    const from = at;
    at += word.length * share;
    return { word, start: from, end: at };
  });
}

export const toMilliseconds = (seconds: number) => Math.round(seconds * 1000) / 1000;

export interface Transcript {
  text: string;
  segments: Segment[] | null;
  /** As it is stored on the note: plain text, or a JSON array of segments. */
  transcript: string;
}

export function readTranscript(transcript: string): Transcript {
  const items = itemsIn(transcript);
  if (items === null) return { text: transcript, segments: null, transcript };
  return { text: textOf(items), segments: items.map((item) => lenientSegment.parse(item)), transcript };
}

/** The words of a transcript, without times and speakers. */
export function spokenText(transcript: string): string {
  const items = itemsIn(transcript);
  return items === null ? transcript : textOf(items);
}

/** The names of the first speakers of a transcript. */
export function speakersIn(transcript: string, limit: number): string[] {
  const names = new Set<string>();
  for (const item of itemsIn(transcript) ?? []) {
    if (names.size === limit) break;
    if ('speaker' in item && typeof item.speaker === 'string' && item.speaker.trim() !== '')
      names.add(item.speaker);
  }
  return [...names];
}

/** What was said with the start of each segment, without words and scores: checking those takes most of the time. */
export function saidParts(transcript: string): { text: string; seconds: number | null }[] {
  const items = itemsIn(transcript);
  if (items === null) return [{ text: transcript, seconds: null }];
  return items.map((item) => ({
    text: item.text,
    seconds: 'start' in item && typeof item.start === 'number' ? item.start : null,
  }));
}

interface Item {
  text: string;
}

/**
 * For a JSON array of objects, returns those that have a text. Everything else counts as plain text and returns null:
 * "[inaudible] so we agreed", "[1, 2]", or a list of objects without any text.
 */
function itemsIn(transcript: string): Item[] | null {
  const items = /^\s*\[/.test(transcript) ? jsonIn(transcript) : null;
  if (!Array.isArray(items) || !items.every(isObject)) return null;
  const said = items.filter(hasText);
  return said.length > 0 || items.length === 0 ? said : null;
}

const isObject = (item: unknown): item is object =>
  typeof item === 'object' && item !== null && !Array.isArray(item);

const hasText = (item: unknown): item is Item =>
  isObject(item) && 'text' in item && typeof item.text === 'string';

/** What was said, without times and speakers. */
export const textOf = (items: readonly Item[]) =>
  items
    .map(({ text }) => text.trim())
    .filter((text) => text !== '')
    .join(' ');

const lenientWord = word.extend({ score: word.shape.score.catch(null) });
/** Other programs write transcripts too. A field that is missing or has the wrong type gets the value for "unknown". */
const lenientSegment = segment.extend({
  start: segment.shape.start.catch(0),
  end: segment.shape.end.catch(0),
  speaker: segment.shape.speaker.catch(null),
  words: z
    .array(lenientWord.nullable().catch(null))
    .catch([])
    .transform((words) => words.filter((word) => word !== null)),
});
