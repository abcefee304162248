import { z } from 'zod';
import { pcmRate } from '../domain/audio.ts';
import type { Segment, Word } from '../domain/transcript.ts';
import type { Chunk } from '../ports/audio.ts';
import type { Transcribed, Transcriber } from '../ports/transcriber.ts';
import { engineLanguage } from './languages.ts';

const words = ['one', 'two', 'three', 'four'];
const languages = ['en'];
const secondsPerWord = 0.5;

/** Hears one word in each half second of a chunk that is not silent, always the same ones, as one certain speaker. For tests and the sandbox. */
export function createFakeTranscriber(): Transcriber {
  return {
    async transcribe({ recording, language, signal, onProgress, onText }) {
      signal?.throwIfAborted();
      const code = engineLanguage(language, languages) ?? 'en';
      const times: number[] = [];
      for await (const chunk of recording.chunks()) {
        const more = hear(chunk);
        const words = more.map((start, at) => toWord(start, times.length + at));
        if (words.length > 0) onText?.((times.length > 0 ? ' ' : '') + textOf(words));
        times.push(...more);
      }
      onProgress?.(1);
      return told(times, code);
    },
    async hear({ chunk, language, signal }) {
      signal?.throwIfAborted();
      const code = engineLanguage(language, languages) ?? 'en';
      const times = hear(chunk);
      const heard = times.map(toWord);
      return {
        text: textOf(heard),
        words: heard.map(({ word, ...when }) => ({ text: ` ${word}`, ...when })),
        language: code,
        detail: JSON.stringify(times),
      };
    },
    async conclude(details, { language }) {
      const times = details.flatMap((detail) => z.array(z.number()).parse(JSON.parse(detail)));
      return told(times, engineLanguage(language, languages) ?? 'en');
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

/** When words begin. */
function hear({ start, pcm }: Chunk): number[] {
  const times: number[] = [];
  const step = secondsPerWord * pcmRate;
  for (let at = 0; at + step <= pcm.length; at += step)
    if (pcm.subarray(at, at + step).some((sample) => Math.abs(sample) > 0.01))
      times.push(start + at / pcmRate);
  return times;
}

const toWord = (start: number, at: number): Word => ({
  word: words[at % words.length] ?? '',
  start,
  end: start + secondsPerWord,
  score: 1,
});

const textOf = (heard: readonly Word[]) => heard.map(({ word }) => word).join(' ');

function told(times: readonly number[], language: string): Transcribed {
  const heard = times.map(toWord);
  return { text: textOf(heard), language, segments: toSegments(heard), provider: 'fake', model: 'fake' };
}

function toSegments(heard: Word[]): Segment[] {
  const [first, last] = [heard[0], heard.at(-1)];
  if (!first || !last) return [];
  return [{ start: first.start, end: last.end, text: textOf(heard), speaker: 'Speaker 1', words: heard }];
}
