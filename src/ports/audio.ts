export interface DecodedAudio {
  /** `pcmRate` samples a second, one channel. */
  pcm: Float32Array;
  /** Measured from the samples, because a header may lie. Minutes are counted by this. */
  durationMs: number;
}

export interface DecodeOptions {
  /** Users take turns when files wait. */
  userId?: string;
  signal?: AbortSignal;
}

export interface AudioDecoder {
  /** Raises NotAudio, BadAudio, TranscriberUnavailable, or the signal's reason. */
  decode(file: Uint8Array, options?: DecodeOptions): Promise<DecodedAudio>;
  close(): Promise<void>;
}
