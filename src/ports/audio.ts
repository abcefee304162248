import type { AudioContainer } from '../domain/audio.ts';
import type { VoiceActivity } from '../domain/voice.ts';

/** A part of a recording in which somebody speaks: what the engine hears at once. */
export interface Chunk {
  /** In seconds from the beginning of the recording. */
  start: number;
  /** At most 30 s, `pcmRate` samples a second, one channel, each a number from −1 to 1. */
  pcm: Float32Array;
  /** Where in these samples somebody speaks. */
  voice: VoiceActivity;
}

/** A recording that was decoded once, from beginning to end, so nothing in it is a surprise any more. */
export interface Recording {
  /** Measured from the samples, because a header may lie. Minutes are counted by this. */
  durationMs: number;
  /**
   * Each is decoded when it is asked for, and one ahead: a long recording takes no more memory than a short one. Silence
   * is left out. Raises TranscriberUnavailable, or the signal's reason.
   */
  chunks(): AsyncIterable<Chunk>;
}

export interface DecodeOptions {
  /** Users take turns when files wait. */
  userId?: string;
  /** Decoding ends as soon as the recording is longer than this. Its duration is then what was decoded so far. */
  limitMs?: number;
  signal?: AbortSignal;
}

/** A file that stays where it is, and is read part by part. */
export interface AudioFile {
  size: number;
  /** Exactly these bytes; the file has them. */
  read(start: number, end: number): Promise<Uint8Array>;
  /**
   * Of a file that is still growing: resolves when it has more bytes than these, or is complete. `size` is then 0 in advance.
   */
  grown?(beyond: number): Promise<{ size: number; isComplete: boolean }>;
}

export interface ListenOptions {
  /** So many chunks were heard before, and are left out. The others are the same ones each time. */
  skip?: number;
  maxSeconds?: number;
  /** Of a growing file: hears what is spoken right now, from time to time. It is not final. */
  onTail?: (tail: Chunk) => void;
  signal?: AbortSignal | undefined;
}

/** A recording of any length, decoded once, as it is heard. */
export interface Listening {
  /** What the file says of its length; null if it says nothing. */
  expectedMs: number | null;
  /** Raises BadAudio, TranscriberUnavailable, or the signal's reason. */
  chunks(): AsyncIterable<Chunk>;
  /** Measured from the samples. Known when all chunks were given. */
  durationMs(): number;
}

export interface Recognised {
  container: AudioContainer;
  /** It can be heard while it is still written. */
  canGrow: boolean;
}

export interface AudioDecoder {
  /** Raises NotAudio, BadAudio, TranscriberUnavailable, or the signal's reason. */
  open(file: Uint8Array, options?: DecodeOptions): Promise<Recording>;
  /** What the file is, by its content; null for anything that is not read. */
  recognise(file: AudioFile): Promise<Recognised | null>;
  /** Raises NotAudio, BadAudio, TranscriberUnavailable, or the signal's reason. */
  listen(file: AudioFile, options?: ListenOptions): Promise<Listening>;
  close(): Promise<void>;
}
