import type { Segment } from '../../domain/transcript.ts';
import type { Transcription } from '../../domain/transcription.ts';
import type { Chunk } from './audio.ts';

/** What the caller of an engine knows about a recording. */
interface Hints {
  /** Users take turns: the work of one does not hold up another's. */
  userId: string;
  /** `en` or `en-US`; without it the engine finds out if it can. */
  language?: string | undefined;
  /** Words that the caller expects; they come before the dictionary. */
  prompt?: string | undefined;
  /** The user's dictionary, the most recently used first. */
  dictionary?: readonly string[] | undefined;
  /** How many people speak, if the caller knows. */
  speakers?: number | undefined;
  signal?: AbortSignal | undefined;
}

export interface ChunkRequest extends Omit<Hints, 'speakers'> {
  chunk: Chunk;
  /** Of the chunks before, if the caller names no language. */
  detectedLanguage?: string | undefined;
  /** Waits until no other request needs the engine. */
  isBackground?: boolean | undefined;
  /** Only the words count, and `assemble` will not see it. */
  isPartial?: boolean | undefined;
}

/** A word, or a phrase of an engine that gives no words, with its own spaces: some languages are written without any. */
export interface ChunkWord {
  text: string;
  /** In seconds from the beginning of the recording. */
  start: number;
  end: number;
}

export interface ChunkResult {
  text: string;
  words: readonly ChunkWord[];
  language: string | null;
  /** JSON, for `assemble` alone. It is stored, so a later version must read it. */
  detail: string;
}

export interface AssembleRequest extends Omit<Hints, 'prompt'> {
  /** More chunks follow: speakers are not told apart yet. */
  isPartial?: boolean | undefined;
}

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
  /** The program that runs the model, once it is loaded; absent for an engine elsewhere. */
  runtime?: string | undefined;
  /** ISO 639-1 codes; empty when the engine does not say. */
  languages: readonly string[];
  workers: { wanted: number; ready: number; busy: number };
  /** Why it is not ready; for the operator, not for callers. */
  problem: string | null;
}

/** A speech engine. `features/transcribe/transcribe-recording.ts` transcribes a recording with it, `features/recordings/job.ts` a stored one. */
export interface Transcriber {
  /**
   * Raises UnsupportedLanguage, TranscriberUnavailable (crashed, too slow), SpeechOutOfOrder, or the signal's reason
   * when aborted.
   */
  transcribeChunk(request: ChunkRequest): Promise<ChunkResult>;
  /**
   * The transcript of a recording from the details of all its chunks in their order: segments with words and speakers,
   * times in seconds. Without chunks the text is empty. Raises what `transcribeChunk` raises.
   */
  assemble(details: readonly string[], request: AssembleRequest): Promise<Transcribed>;
  /** Raises UnsupportedLanguage for a language that this engine does not know, before any work starts. */
  checkLanguage(language: string | undefined): void;
  status(): TranscriberStatus;
  close(): Promise<void>;
}
