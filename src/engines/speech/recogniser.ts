import type { VoiceActivity } from '../ports/vad.ts';
import type { PackedEmbeddings } from './diarize/embed.ts';
import type { Names } from './names/sounds-like.ts';

/** What a model is asked: to recognise at most 30 s. */
export interface Recognition {
  pcm: Float32Array;
  language: string | undefined;
  prompt: string;
  /** To be spelt so where they were said, by an engine that can. */
  names?: Names | undefined;
  /** The work that keeps all cores busy is done; an engine whose work does not change never calls this. */
  onEncoded?(): void;
}

/** One chunk of a recording. */
export interface ChunkToRecognise extends Recognition {
  voice: VoiceActivity;
}

/** What a worker process is asked: one chunk, in one call. */
export interface ChunkTask extends Omit<ChunkToRecognise, 'names' | 'prompt' | 'onEncoded'> {
  /** The names to know, one on each line: one text travels faster than 20,000. */
  nameList: string;
}

/** Asked of the same worker or of another one: the speaker embeddings. */
export type EmbedTask = Pick<ChunkTask, 'pcm' | 'voice'>;

/** A word, or a whole phrase from an engine that gives no words. Times are seconds from the first sample. */
export interface Piece {
  text: string;
  start: number;
  end: number;
  isWord: boolean;
  /** The probability that it was said, 0–1, from an engine that tells. */
  score: number | null;
}

export interface Recognised {
  pieces: Piece[];
  /** Null when it is not one of the model's. */
  language: string | null;
}

/** What the workers answer. The embeddings are null where the machine cannot diarize. */
export interface ChunkRecognised extends Recognised {
  embeddings: PackedEmbeddings | null;
}

export interface ModelInfo {
  model: string;
  /** The program that runs it. */
  runtime: 'ONNX Runtime' | 'transcribe-cpp';
  languages: readonly string[];
}

/** One loaded model; runs inside a worker process. */
export interface Recogniser {
  info: ModelInfo;
  recognise(recognition: Recognition): Promise<Recognised>;
}
