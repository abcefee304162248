/** What a worker process is asked: to recognise one stretch of at most 30 s. */
export interface Recognition {
  pcm: Float32Array;
  language: string | undefined;
  prompt: string;
}

/** A word, or a whole phrase from an engine that gives no words. Times are seconds from the beginning of the stretch. */
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
  language: string | null;
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
