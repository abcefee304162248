import type { Segment } from '../domain/transcript.ts';

export interface TranscribeRequest {
  /** `pcmRate` samples a second, one channel. */
  pcm: Float32Array;
  /** Whose turn it is: waiting work is served round-robin by user. */
  userId: string;
  /** `en` or `en-US`; undefined lets the engine find out where it can. */
  language?: string | undefined;
  /** The caller's own terms: they come before the dictionary. */
  prompt?: string | undefined;
  /** The user's dictionary, the most recently used first. */
  dictionary?: readonly string[] | undefined;
  /** Told the done share, 0–1, never falling. */
  onProgress?: ((done: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

export interface Transcribed {
  text: string;
  language: string | null;
  segments: Segment[];
  provider: string;
  model: string;
}

export interface TranscriberStatus {
  state: 'starting' | 'ready' | 'failed';
  model: string;
  /** ISO 639-1 codes; empty when the engine does not tell. */
  languages: readonly string[];
  workers: { wanted: number; ready: number; busy: number };
  /** Requests admitted and not finished. */
  requests: number;
  /** Why it is not ready; for the operator, not for callers. */
  problem: string | null;
}

export interface Transcriber {
  /**
   * Segments with words, times in seconds. Silence gives an empty text and no segments.
   * Raises UnsupportedLanguage, TranscriberUnavailable (full, crashed, too slow), or the signal's reason when aborted.
   */
  transcribe(request: TranscribeRequest): Promise<Transcribed>;
  /** Raises UnsupportedLanguage for a language this engine cannot do; for refusing before work starts. */
  checkLanguage(language: string | undefined): void;
  status(): TranscriberStatus;
  close(): Promise<void>;
}
