import { z } from 'zod';
import { lazily } from '../lib/lazily.ts';
import { id, timestamp } from './fields.ts';
import { segment } from './transcript.ts';

const reason = z
  .enum(['unknown_language'])
  .nullable()
  .describe(
    'Why there is no text, or not for all of the recording. `unknown_language`: there is speech, but in no language that the model knows, or recorded too badly to tell.',
  );

export const transcription = z.object({
  id,
  user_id: z.string(),
  note_id: id.nullable(),
  status: z.literal('completed'),
  text: z.string(),
  word_count: z.int(),
  source: z.string(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  language: z.string().nullable(),
  reason,
  audio_duration_ms: z.int().nullable(),
  processing_ms: z.int().nullable(),
  segments: z.array(segment).nullable(),
  created_at: timestamp,
});
export type Transcription = z.infer<typeof transcription>;

export const listedTranscription = transcription.extend({
  segments: transcription.shape.segments.optional().describe('Only with `include=segments`.'),
});
export type ListedTranscription = z.infer<typeof listedTranscription>;

/** The answer of `POST /transcribe`. */
export const transcribeResult = z.object({
  id: id.describe('The id of the stored transcription.'),
  text: z.string(),
  language: z.string().nullable(),
  reason,
  duration_ms: z.int().describe('Length of the audio; it counts against the monthly quota.'),
  words: z.int(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  beta: z.literal(true),
});
export type TranscribeResult = z.infer<typeof transcribeResult>;

export const transcriptionFormats = ['json', 'text', 'srt', 'vtt'] as const;
export type TranscriptionFormat = (typeof transcriptionFormats)[number];

export const maxPromptLength = 2_000;
export const maxSpeakers = 20;
export const maxSpeakerLength = 100;
/** Corrections in one request, and the length of a segment's text, which is spoken in at most 20 s. */
export const maxCorrections = 100;
export const maxSegmentLength = 5_000;
/** `en`, `en-US`, `zh-Hant-TW`. */
export const languageForm = /^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/i;

const wordLike = /[\p{L}\p{N}]/u;
const unspacedScript = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}]/u;
const segmenter = lazily(() => new Intl.Segmenter('und', { granularity: 'word' }));

/** Words as people count them: separated by spaces, or found by a dictionary in scripts without spaces. */
export function countWords(text: string): number {
  const runs = text.split(/\s+/).filter((run) => wordLike.test(run));
  return runs.reduce((sum, run) => sum + (unspacedScript.test(run) ? segmentCount(run) : 1), 0);
}

const segmentCount = (run: string) =>
  Array.from(segmenter().segment(run)).filter(({ isWordLike }) => isWordLike).length;

/** The dictionary's words that are in the text. */
export function wordsHeard(text: string, dictionary: readonly string[]): string[] {
  const heard = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')} `;
  return dictionary.filter((word) => {
    const plain = word
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
      .trim();
    return plain !== '' && heard.includes(` ${plain} `);
  });
}

export const resultOf = (record: Transcription): TranscribeResult => ({
  id: record.id,
  text: record.text,
  language: record.language,
  reason: record.reason,
  duration_ms: record.audio_duration_ms ?? 0,
  words: record.word_count,
  provider: record.provider,
  model: record.model,
  beta: true,
});
