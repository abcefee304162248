import { z } from 'zod';
import { toSrt, toVtt } from '../../domain/subtitles.ts';
import type { Segment } from '../../domain/transcript.ts';
import type { Transcription } from '../../domain/transcription.ts';
import { lazily } from '../../lib/lazily.ts';

export const openAiFormats = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const;
export const granularities = ['word', 'segment'] as const;

const word = z.object({
  word: z.string(),
  start: z.number(),
  end: z.number(),
  probability: z.number().nullable().describe('How sure the engine is, 0 to 1. Not in the API of OpenAI.'),
});

const segment = z
  .object({
    id: z.int(),
    seek: z.int(),
    start: z.number(),
    end: z.number(),
    text: z.string(),
    tokens: z.array(z.int()),
    temperature: z.number(),
    avg_logprob: z.number(),
    compression_ratio: z.number(),
    no_speech_prob: z.number(),
  })
  .describe(
    'Steno has no tokens and leaves silence out: `seek`, `tokens`, `temperature`, `compression_ratio` and `no_speech_prob` are always the same.',
  );

export const openAiTranscription = z.object({
  text: z.string(),
  usage: z.object({ type: z.literal('duration'), seconds: z.int() }),
  task: z.literal('transcribe').optional().describe('This field and the following: only for `verbose_json`.'),
  language: z.string().optional().describe('Its English name, or `unknown`.'),
  duration: z.number().optional().describe('In seconds.'),
  segments: z.array(segment).optional(),
  words: z.array(word).optional(),
});

export interface WantedAnswer {
  response_format: (typeof openAiFormats)[number];
  timestamp_granularities: readonly (typeof granularities)[number][];
}

/** The transcription as OpenAI answers it: an object for JSON, a text for the other formats. */
export function openAiAnswer(record: Transcription, wanted: WantedAnswer) {
  const { text, language } = record;
  const segments = record.segments ?? [];
  const duration = (record.audio_duration_ms ?? 0) / 1000;
  const usage = { type: 'duration', seconds: Math.ceil(duration) } as const;
  switch (wanted.response_format) {
    case 'json':
      return { text, usage };
    case 'text':
      return `${text}\n`;
    case 'srt':
      return toSrt(segments, duration);
    case 'vtt':
      return toVtt(segments, duration);
    case 'verbose_json': {
      const { timestamp_granularities: parts } = wanted;
      return {
        task: 'transcribe' as const,
        language: languageName(language),
        duration,
        text,
        ...(parts.includes('segment') ? { segments: segments.map(toOpenAiSegment) } : {}),
        ...(parts.includes('word') ? { words: segments.flatMap(toOpenAiWords) } : {}),
        usage,
      };
    }
  }
}

const toOpenAiSegment = ({ start, end, text, words }: Segment, id: number) => ({
  id,
  seek: 0,
  start,
  end,
  // With the space before it, as Whisper has it: programs join the segments.
  text: ` ${text}`,
  tokens: [],
  temperature: 0,
  avg_logprob: meanLogarithm(words.flatMap(({ score }) => score ?? [])),
  compression_ratio: 1,
  no_speech_prob: 0,
});

const toOpenAiWords = ({ words }: Segment) =>
  words.map(({ word, start, end, score }) => ({ word, start, end, probability: score }));

/** 0, which means certain, when the engine tells no scores. */
const meanLogarithm = (scores: readonly number[]) =>
  scores.reduce((sum, score) => sum + Math.log(Math.max(score, 1e-6)) / scores.length, 0);

const names = lazily(() => new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }));
const languageName = (code: string | null) =>
  (code === null ? undefined : names().of(code)?.toLowerCase()) ?? 'unknown';
