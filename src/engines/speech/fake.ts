import { z } from 'zod';
import { pcmRate } from '../../domain/audio.ts';
import type { Segment, Word } from '../../domain/transcript.ts';
import type { Chunk } from '../ports/audio.ts';
import type { Transcribed, Transcriber } from '../ports/transcriber.ts';
import { engineLanguage } from './languages.ts';

const words = ['one', 'two', 'three', 'four'];
const languages = ['en'];
const secondsPerWord = 0.5;

/** One word for each half second that is not silent, always the same one at the same time, of one speaker. For tests and the sandbox. */
export function createFakeTranscriber(): Transcriber {
  return {
    async transcribeChunk({ chunk, language, signal }) {
      signal?.throwIfAborted();
      const code = engineLanguage(language, languages) ?? 'en';
      const times = wordTimes(chunk);
      const spoken = times.map((start) => toWord(start));
      return {
        text: textOf(spoken),
        words: spoken.map(({ word, ...when }) => ({ text: ` ${word}`, ...when })),
        language: code,
        detail: JSON.stringify(times),
      };
    },
    async assemble(details, { language }) {
      const times = details.flatMap((detail) => z.array(z.number()).parse(JSON.parse(detail)));
      return told(times, engineLanguage(language, languages) ?? 'en');
    },
    checkLanguage: (language) => void engineLanguage(language, languages),
    status: () => ({
      state: 'ready',
      model: 'fake',
      languages,
      workers: { wanted: 0, ready: 0, busy: 0 },
      problem: null,
    }),
    close: async () => {},
  };
}

/** When words begin. */
function wordTimes({ start, pcm }: Chunk): number[] {
  const times: number[] = [];
  const step = secondsPerWord * pcmRate;
  for (let at = 0; at + step <= pcm.length; at += step)
    if (pcm.subarray(at, at + step).some((sample) => Math.abs(sample) > 0.01))
      times.push(start + at / pcmRate);
  return times;
}

const toWord = (start: number): Word => ({
  word: words[Math.floor(start / secondsPerWord) % words.length] ?? '',
  start,
  end: start + secondsPerWord,
  score: 1,
});

const textOf = (spoken: readonly Word[]) => spoken.map(({ word }) => word).join(' ');

function told(times: readonly number[], language: string): Transcribed {
  const spoken = times.map((start) => toWord(start));
  return { text: textOf(spoken), language, segments: toSegments(spoken), provider: 'fake', model: 'fake' };
}

function toSegments(spoken: Word[]): Segment[] {
  const [first, last] = [spoken[0], spoken.at(-1)];
  if (!first || !last) return [];
  return [{ start: first.start, end: last.end, text: textOf(spoken), speaker: 'Speaker 1', words: spoken }];
}
