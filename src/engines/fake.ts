import { pcmRate } from '../domain/audio.ts';
import type { Segment, Word } from '../domain/transcript.ts';
import type { Transcriber } from '../ports/transcriber.ts';
import { cleanSamples } from './clean-samples.ts';
import { engineLanguage } from './languages.ts';

export interface FakeOptions {
  /** What is heard, over and over. */
  words?: readonly string[];
  languages?: readonly string[];
  /** Called before each answer: wait, or throw what the real one would. */
  before?: (signal: AbortSignal | undefined) => Promise<void>;
}

const secondsPerWord = 0.5;

/** Deterministic: one word for each half second that is not silent. */
export function createFakeTranscriber(options: FakeOptions = {}): Transcriber {
  const { words = ['one', 'two', 'three', 'four'], languages = ['en'], before } = options;
  let requests = 0;
  return {
    async transcribe({ pcm, language, signal, onProgress }) {
      signal?.throwIfAborted();
      const code = engineLanguage(language, languages);
      requests += 1;
      try {
        onProgress?.(0);
        await before?.(signal);
        signal?.throwIfAborted();
        const heard = hear(cleanSamples(pcm), words);
        onProgress?.(1);
        return {
          text: heard.map(({ word }) => word).join(' '),
          language: code ?? languages[0] ?? null,
          segments: toSegments(heard),
          provider: 'fake',
          model: 'fake',
        };
      } finally {
        requests -= 1;
      }
    },
    checkLanguage: (language) => void engineLanguage(language, languages),
    status: () => ({
      state: 'ready',
      provider: 'fake',
      model: 'fake',
      languages,
      workers: { wanted: 0, ready: 0, busy: 0, memoryBytes: null },
      requests,
      problem: null,
    }),
    close: async () => {},
  };
}

function hear(pcm: Float32Array, words: readonly string[]): Word[] {
  const heard: Word[] = [];
  const step = secondsPerWord * pcmRate;
  for (let at = 0; at + step <= pcm.length; at += step) {
    if (!pcm.subarray(at, at + step).some((sample) => Math.abs(sample) > 0.01)) continue;
    const word = words[heard.length % words.length] ?? '';
    heard.push({ word, start: at / pcmRate, end: (at + step) / pcmRate, score: null });
  }
  return heard;
}

function toSegments(words: Word[]): Segment[] {
  const [first, last] = [words[0], words.at(-1)];
  if (!first || !last) return [];
  const text = words.map(({ word }) => word).join(' ');
  return [{ start: first.start, end: last.end, text, speaker: null, words }];
}
