import type { AudioContainer } from '../../domain/audio.ts';
import type { VoiceActivity } from './vad.ts';

/** A part of a recording in which somebody speaks: what the engine gets at once. */
export interface Chunk {
  /** In seconds from the beginning of the recording. */
  start: number;
  /** At most 30 s, `pcmRate` samples a second, one channel, each a number from −1 to 1. */
  pcm: Float32Array;
  /** Where in these samples somebody speaks. */
  voice: VoiceActivity;
}

/** A recording that was decoded once from beginning to end, so decoding it again meets no new faults. */
export interface Recording {
  /** Measured from the samples, because a header may lie. Minutes are counted by this. */
  durationMs: number;
  /**
   * Decodes one chunk ahead of what is asked for, so a long recording takes no more memory than a short one. Silence
   * is left out. Raises TranscriberUnavailable, or the signal's reason.
   */
  chunks(): AsyncIterable<Chunk>;
}

export interface DecodeOptions {
  /** When files wait, users take turns. */
  userId?: string;
  /** Decoding stops when the recording proves longer than this. Its duration is then what was decoded so far. */
  limitMs?: number;
  signal?: AbortSignal;
}

/** A file that is read part by part from where it is. */
export interface AudioFile {
  size: number;
  /** Exactly these bytes, which must exist. */
  read(start: number, end: number): Promise<Uint8Array>;
  /**
   * For a live upload: resolves when it has more bytes than these, or is complete. Its `size` is 0.
   */
  grown?(beyond: number): Promise<{ size: number; isComplete: boolean }>;
}

export interface StreamOptions {
  /** How many chunks to skip because they were transcribed before. Each run finds the same chunks. */
  skip?: number;
  maxSeconds?: number;
  /** For a live upload: gets the audio of the unfinished chunk from time to time, for the partial transcript. */
  onPartial?: (spoken: Chunk) => void;
  signal?: AbortSignal | undefined;
}

/** A recording of any length, decoded once, while it is transcribed. */
export interface AudioStream {
  /** The length that the file claims; null if it claims none. */
  expectedMs: number | null;
  /** Raises BadAudio, TranscriberUnavailable, or the signal's reason. */
  chunks(): AsyncIterable<Chunk>;
  /** Measured from the samples. Known once all chunks were read. */
  durationMs(): number;
  /** How loud it is from beginning to end, each 0 to 255; at most 1,000. Known once all chunks were read. */
  peaks(): Uint8Array;
}

export interface IdentifiedAudio {
  container: AudioContainer;
  /** It can be transcribed while it is still being uploaded. */
  isStreamable: boolean;
}

export interface AudioDecoder {
  /** Raises NotAudio, BadAudio, TranscriberUnavailable, or the signal's reason. */
  open(file: Uint8Array, options?: DecodeOptions): Promise<Recording>;
  /** What the file is, by its content; null for a format that Steno does not read. */
  identify(file: AudioFile): Promise<IdentifiedAudio | null>;
  /** Raises NotAudio, BadAudio, TranscriberUnavailable, or the signal's reason. */
  stream(file: AudioFile, options?: StreamOptions): Promise<AudioStream>;
  close(): Promise<void>;
}
