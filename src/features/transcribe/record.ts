import { countWords, type Transcription } from '../../domain/transcription.ts';
import type { Transcribed } from '../../engines/ports/transcriber.ts';

type Given = Pick<
  Transcription,
  'id' | 'user_id' | 'note_id' | 'audio_duration_ms' | 'processing_ms' | 'created_at'
>;

/** What is stored of a transcribed recording, however it arrived. */
export const recordOf = ({ segments, text, provider, model, language, reason }: Transcribed, given: Given) =>
  ({
    ...given,
    status: 'completed',
    text,
    word_count: countWords(text),
    source: 'cloud',
    provider,
    model,
    language,
    reason: reason ?? null,
    segments,
  }) satisfies Transcription;
