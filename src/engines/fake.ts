import { pcmRate } from '../domain/audio.ts';
import type { Segment, Word } from '../domain/transcript.ts';
import type { Stretch } from '../ports/audio.ts';
import type { Transcriber } from '../ports/transcriber.ts';
import { engineLanguage } from './languages.ts';

const words = ['one', 'two', 'three', 'four'];
const languages = ['en'];
const secondsPerWord = 0.5;

/** Hears one word in each half second of a stretch that is not silent, always the same ones, as one certain speaker. For tests and the sandbox. */
export function createFakeTranscriber(): Transcriber {
  return {
    async transcribe({ recording, language, signal, onProgress, onText }) {
      signal?.throwIfAborted();
      const code = engineLanguage(language, languages) ?? 'en';
      const heard: Word[] = [];
      for await (const stretch of recording.stretches()) {
        const words = hear(stretch, heard.length);
        if (words.length > 0) onText?.((heard.length > 0 ? ' ' : '') + textOf(words));
        heard.push(...words);
      }
      onProgress?.(1);
      return {
        text: textOf(heard),
        language: code,
        segments: toSegments(heard),
        provider: 'fake',
        model: 'fake',
      };
    },
    checkLanguage: (language) => void engineLanguage(language, languages),
    status: () => ({
      state: 'ready',
      model: 'fake',
      languages,
      workers: { wanted: 0, ready: 0, busy: 0 },
      requests: 0,
      problem: null,
    }),
    close: async () => {},
  };
}

function hear({ start, pcm }: Stretch, before: number): Word[] {
  const heard: Word[] = [];
  const step = secondsPerWord * pcmRate;
  for (let at = 0; at + step <= pcm.length; at += step) {
    if (!pcm.subarray(at, at + step).some((sample) => Math.abs(sample) > 0.01)) continue;
    const word = words[(before + heard.length) % words.length] ?? '';
    heard.push({ word, start: start + at / pcmRate, end: start + (at + step) / pcmRate, score: 1 });
  }
  return heard;
}

const textOf = (heard: readonly Word[]) => heard.map(({ word }) => word).join(' ');

function toSegments(heard: Word[]): Segment[] {
  const [first, last] = [heard[0], heard.at(-1)];
  if (!first || !last) return [];
  return [{ start: first.start, end: last.end, text: textOf(heard), speaker: 'Speaker 1', words: heard }];
}
