import type { Page } from 'playwright-core';
import { AppError } from '../../src/domain/errors.ts';
import type { Segment } from '../../src/domain/transcript.ts';
import { settled, uploadTo } from './recordings.ts';
import { joinSamples, silence, tone, wavOf } from './sound.ts';
import { createFakeSpeech } from './speech.ts';
import type { TestSteno } from './steno.ts';

/** One word a second. */
export const sentence = (text: string, start: number, speaker: string, unsure = ''): Segment => {
  const words = text.split(' ').map((word, at) => ({
    word,
    start: start + at,
    end: start + at + 0.8,
    score: word === unsure ? 0.2 : 0.95,
  }));
  return { start, end: start + words.length, text, speaker, words };
};

export const said = [
  sentence('We store it with kaizeli now.', 0, 'Speaker 1', 'kaizeli'),
  sentence('It was quick.', 6, 'Speaker 1'),
  sentence('And how is the harbour?', 12, 'Speaker 2'),
];

/** A sound that a browser can play. */
export const playableSound = Buffer.from(wavOf(joinSamples(tone(8), silence(20), tone(32))));

/** Whatever the sound, the transcript is the one that the test gives. */
export function createKnownSpeech() {
  const speech = createFakeSpeech();
  const known = { transcript: said, lengthMs: 60_000, isRefused: false };
  const voice = { frames: new Uint8Array(), frameSeconds: 0.03 };
  const decoder: typeof speech.decoder = {
    ...speech.decoder,
    identify: async () => ({ container: 'wav', isStreamable: false }),
    async stream() {
      if (known.isRefused) throw new AppError('quota_exceeded', 'The minutes of this month are used up.');
      const { lengthMs } = known;
      return {
        expectedMs: lengthMs,
        durationMs: () => lengthMs,
        peaks: () => Uint8Array.of(255, 128, 0),
        async *chunks() {
          yield { start: 0, pcm: new Float32Array(2), voice };
        },
      };
    },
  };
  const transcriber: typeof speech.transcriber = {
    ...speech.transcriber,
    assemble: async () => ({
      text: known.transcript.map(({ text }) => text).join(' '),
      language: 'en',
      segments: known.transcript,
      provider: 'fake',
      model: 'fake',
    }),
  };
  return { ...speech, decoder, transcriber, known };
}

/** A recording of this name that has become a note. */
export async function recordNote(steno: TestSteno, key: string, name: string, query = '') {
  const { id } = (await uploadTo(steno, key, playableSound, `?note=true&name=${name}${query}`)).body.data;
  return settled(steno, key, id);
}

/** Where the player of the open note is, in seconds. Another recording may still play below it. */
export const positionIn = async (page: Page) => {
  const player = page.getByRole('region', { name: 'Recording', exact: true });
  return Number(await player.getByLabel('Position').inputValue());
};
