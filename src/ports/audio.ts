import type { VoiceActivity } from '../domain/voice.ts';

/** A part of a recording in which somebody speaks: what the engine hears at once. */
export interface Stretch {
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
  stretches(): AsyncIterable<Stretch>;
}

export interface DecodeOptions {
  /** Users take turns when files wait. */
  userId?: string;
  /** Decoding ends as soon as the recording is longer than this. Its duration is then what was decoded so far. */
  limitMs?: number;
  signal?: AbortSignal;
}

export interface AudioDecoder {
  /** Raises NotAudio, BadAudio, TranscriberUnavailable, or the signal's reason. */
  open(file: Uint8Array, options?: DecodeOptions): Promise<Recording>;
  close(): Promise<void>;
}
