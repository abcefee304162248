import type { Segment } from './transcript.ts';

/** The stored record as the wire shows it. */
export interface Transcription {
  id: string;
  user_id: string;
  note_id: string | null;
  status: 'completed';
  text: string;
  word_count: number;
  source: string;
  provider: string | null;
  model: string | null;
  language: string | null;
  audio_duration_ms: number | null;
  processing_ms: number | null;
  segments: Segment[] | null;
  created_at: string;
}

/** Lists leave the segments out unless they are asked for. */
export type ListedTranscription = Omit<Transcription, 'segments'> & Partial<Pick<Transcription, 'segments'>>;

export interface TranscribeResult {
  id: string;
  text: string;
  language: string | null;
  duration_ms: number;
  words: number;
  provider: string | null;
  model: string | null;
  beta: true;
}

export const transcriptionFormats = ['json', 'text', 'srt', 'vtt'] as const;
export type TranscriptionFormat = (typeof transcriptionFormats)[number];

export const maxPromptLength = 1_000;
/** `en`, `en-US`, `zh-Hant-TW`. */
export const languageForm = /^[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}$/i;

const wordLike = /[\p{L}\p{N}]/u;
const unspacedScript = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}]/u;
const segmenter = new Intl.Segmenter('und', { granularity: 'word' });

/** Words as people count them: by spaces, and by a dictionary in the scripts that write none. */
export function countWords(text: string): number {
  const runs = text.split(/\s+/).filter((run) => wordLike.test(run));
  return runs.reduce((sum, run) => sum + (unspacedScript.test(run) ? segmentCount(run) : 1), 0);
}

const segmentCount = (run: string) =>
  Array.from(segmenter.segment(run)).filter(({ isWordLike }) => isWordLike).length;

/** Those of the dictionary's words that the text holds. */
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
  duration_ms: record.audio_duration_ms ?? 0,
  words: record.word_count,
  provider: record.provider,
  model: record.model,
  beta: true,
});
