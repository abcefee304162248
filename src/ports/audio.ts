export interface DecodedAudio {
  /** `pcmRate` samples a second, one channel. */
  pcm: Float32Array;
  /** What the samples prove: a header may lie, and minutes are counted by this. */
  durationMs: number;
}

export interface AudioDecoder {
  /** Raises NotAudio, BadAudio, TranscriberUnavailable, or the signal's reason. */
  decode(file: Uint8Array, options?: { signal?: AbortSignal }): Promise<DecodedAudio>;
  close(): Promise<void>;
}
