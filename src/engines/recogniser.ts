/** What a worker process is asked: one stretch of at most 30 s. Times are seconds from its beginning. */
export interface Recognition {
  pcm: Float32Array;
  language: string | undefined;
  prompt: string;
  threads: number;
}

/** A word where the engine tells words, otherwise a whole phrase (`isWord` false). */
export interface Piece {
  text: string;
  start: number;
  end: number;
  isWord: boolean;
}

export interface Recognised {
  pieces: Piece[];
  language: string | null;
}

export interface ModelInfo {
  engine: string;
  model: string;
  languages: readonly string[];
  hasWords: boolean;
}

/** One loaded model; runs inside a worker process. */
export interface Recogniser {
  info: ModelInfo;
  recognise(recognition: Recognition): Promise<Recognised>;
}
