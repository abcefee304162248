import type { Segment } from '../domain/transcript.ts';
import type { Transcription } from '../domain/transcription.ts';
import type { Chunk, Recording } from './audio.ts';

export interface TranscribeRequest {
  /** The engine asks for its next chunk when it is ready for it. */
  recording: Recording;
  /** Users take turns, so one user's work does not hold up another's. */
  userId: string;
  /** `en` or `en-US`; without it the engine detects the language if it can. */
  language?: string | undefined;
  /** Words that the caller expects; they come before the dictionary. */
  prompt?: string | undefined;
  /** The user's dictionary, the most recently used first. */
  dictionary?: readonly string[] | undefined;
  /** How many people speak, if the caller knows. */
  speakers?: number | undefined;
  /**
   * Gets the text part by part, in order, as soon as it is recognised. Together the parts are the text, except for words of a
   * language that the model turns out not to know.
   */
  onText?: ((more: string) => void) | undefined;
  /** Gets the share that is done, from 0 to 1; it never goes back. */
  onProgress?: ((done: number) => void) | undefined;
  signal?: AbortSignal | undefined;
}

/** One chunk of a recording whose chunks are stored as they are heard. */
export interface HearRequest
  extends Pick<TranscribeRequest, 'userId' | 'language' | 'prompt' | 'dictionary' | 'signal'> {
  chunk: Chunk;
  /** What was heard before in this recording, if the caller names no language. */
  heardLanguage?: string | undefined;
  /** Waits until nobody else needs the engine. */
  isBackground?: boolean | undefined;
  /** Only the words count, and `conclude` will not see it. */
  isProvisional?: boolean | undefined;
}

/** A word, or a phrase of an engine that gives no words, with its own spaces: some languages are written without any. */
export interface HeardWord {
  text: string;
  /** In seconds from the beginning of the recording. */
  start: number;
  end: number;
}

export interface HeardChunk {
  text: string;
  words: readonly HeardWord[];
  language: string | null;
  /** JSON, for `conclude` alone. */
  detail: string;
}

export type ConcludeRequest = Pick<
  TranscribeRequest,
  'userId' | 'language' | 'dictionary' | 'speakers' | 'signal'
>;

export interface Transcribed {
  text: string;
  /** Null when it is not known, or not one that the model knows. */
  language: string | null;
  /** Why text is missing, if it is. */
  reason?: Transcription['reason'];
  segments: Segment[];
  provider: string;
  model: string;
}

export interface TranscriberStatus {
  state: 'starting' | 'ready' | 'failed';
  model: string;
  /** The program that runs the model, once it is loaded; absent for a remote engine. */
  runtime?: string | undefined;
  /** ISO 639-1 codes; empty when the engine does not say. */
  languages: readonly string[];
  workers: { wanted: number; ready: number; busy: number };
  /** Requests under way, waiting ones included. */
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
  /** Raises what `transcribe` raises. */
  hear(request: HearRequest): Promise<HeardChunk>;
  /** What `transcribe` would have answered, from the details of all chunks in their order. */
  conclude(details: readonly string[], request: ConcludeRequest): Promise<Transcribed>;
  /** Raises UnsupportedLanguage for a language that this engine does not know, before any work starts. */
  checkLanguage(language: string | undefined): void;
  status(): TranscriberStatus;
  close(): Promise<void>;
}
