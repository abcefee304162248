import type { AudioContainer } from '../domain/audio.ts';

export interface AudioInfo {
  format: AudioContainer;
  codec: string;
  /** What the container tells, before decoding. */
  durationMs: number;
}

export interface DecodedAudio extends AudioInfo {
  /** 16 kHz, one channel. */
  pcm: Float32Array;
}

export interface AudioDecoder {
  /** Format and duration without decoding. Raises NotAudio, BadAudio, TranscriberUnavailable. */
  probe(file: Uint8Array, options?: { signal?: AbortSignal }): Promise<AudioInfo>;
  /** The samples, and the duration they prove. Raises NotAudio, BadAudio, TranscriberUnavailable, or the signal's reason. */
  decode(file: Uint8Array, options?: { signal?: AbortSignal }): Promise<DecodedAudio>;
  close(): Promise<void>;
}
