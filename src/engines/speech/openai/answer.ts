import { z } from 'zod';
import type { Segment, Word } from '../../../domain/transcript.ts';

/** What such servers answer. Each of them leaves out something else. */
const wordSchema = z.object({
  word: z.string(),
  start: z.number(),
  end: z.number(),
  /** From faster-whisper servers; OpenAI does not send it. */
  probability: z.number().min(0).max(1).optional(),
});
const segmentSchema = z.object({
  start: z.number(),
  end: z.number(),
  text: z.string(),
  words: z.array(wordSchema).nullish(),
});
const answerSchema = z.object({
  text: z.string(),
  language: z.string().nullish(),
  segments: z.array(segmentSchema).nullish(),
  words: z.array(wordSchema).nullish(),
});

export interface Answer {
  language: string | null;
  segments: Segment[];
}

/** Raises a ZodError for anything that is not a transcription. */
export function readAnswer(body: unknown, seconds: number): Answer {
  const { text, language, segments, words } = answerSchema.parse(body);
  const loose = words ?? [];
  const told = segments?.length ? segments : [{ start: 0, end: seconds, text, words: loose }];
  return {
    language: language ? languageCode(language) : null,
    segments: told
      .map((segment, i) => toSegment(segment, segment.words ?? wordsWithin(loose, told, i)))
      .filter((segment) => segment.text !== ''),
  };
}

type ToldSegment = z.infer<typeof segmentSchema>;
type ToldWord = z.infer<typeof wordSchema>;

const toSegment = ({ start, end, text }: ToldSegment, words: readonly ToldWord[]): Segment => ({
  start,
  end: Math.max(start, end),
  text: text.replace(/\s+/g, ' ').trim(),
  speaker: null,
  words: words.map(
    ({ word, start: from, end: to, probability }): Word => ({
      word: word.trim(),
      start: from,
      end: Math.max(from, to),
      score: probability ?? null,
    }),
  ),
});

/** OpenAI lists the words apart from the segments: a word belongs to the last segment that began before it. */
function wordsWithin(words: readonly ToldWord[], segments: readonly ToldSegment[], i: number): ToldWord[] {
  const from = i === 0 ? Number.NEGATIVE_INFINITY : (segments[i]?.start ?? 0);
  const to = segments[i + 1]?.start ?? Number.POSITIVE_INFINITY;
  return words.filter(({ start }) => start >= from && start < to);
}

/** OpenAI answers "english", others "en". */
function languageCode(told: string): string | null {
  const name = told.trim().toLowerCase();
  return /^[a-z]{2,3}([-_].*)?$/.test(name)
    ? (name.split(/[-_]/)[0] ?? null)
    : (codeByName().get(name) ?? null);
}

let codes: Map<string, string> | undefined;

/** All two-letter codes for which Node knows an English name. */
function codeByName(): Map<string, string> {
  if (codes) return codes;
  codes = new Map();
  const english = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  for (const code of letters.flatMap((a) => letters.map((b) => a + b))) {
    const name = english.of(code)?.toLowerCase();
    if (name && !codes.has(name)) codes.set(name, code);
  }
  return codes;
}
