import { afterAll, describe, expect, test } from 'vitest';
import { pcmRate } from '../../../src/domain/audio.ts';
import { createEmbeddedTranscriber } from '../../../src/engines/speech/pool/embedded.ts';
import { transcribeRecording } from '../../../src/features/transcribe/transcribe-recording.ts';
import { joinSamples, recordingOf, samplesOf, silence } from '../../support/sound.ts';
import { randomFrom } from '../../support/whisper-file.ts';

/** What the model in the box makes of real speech, through the workers. */
const transcriber = createEmbeddedTranscriber({ workers: 1 });
afterAll(() => transcriber.close());

const hear = async (pcm: Float32Array) => {
  const { text, segments } = await transcribeRecording(transcriber, {
    recording: recordingOf(pcm),
    userId: 'ada',
  });
  return { text, words: segments.flatMap((segment) => segment.words) };
};
const plain = (text: string) =>
  text
    .toLowerCase()
    .replace(/[^a-z ]/g, '')
    // One recording begins in the middle of this word: it is heard or not.
    .replace(/\band mr/g, 'mr');

describe('words of a speech with pauses', () => {
  const heard = hear(samplesOf('jfk.wav'));

  test('begin where they are said', async () => {
    const { words } = await heard;
    const startOf = (word: string, at = 0) =>
      words.filter((heardWord) => plain(heardWord.word) === word)[at]?.start;
    // Read off the waveform: each of these follows a pause.
    expect(startOf('and')).toBeCloseTo(0.32, 1);
    expect(startOf('ask', 0)).toBeCloseTo(3.28, 1);
    expect(startOf('not')).toBeCloseTo(4.0, 1);
    expect(startOf('ask', 1)).toBeCloseTo(8.19, 1);
  });

  test('follow each other, and pauses are gaps between them', async () => {
    const { words } = await heard;
    for (const [i, { start, end }] of words.entries()) {
      expect(end).toBeGreaterThanOrEqual(start);
      expect(start).toBeGreaterThanOrEqual(words[i - 1]?.end ?? 0);
      expect(end - start).toBeLessThan(1.5);
    }
    const americans = words.findIndex(({ word }) => plain(word) === 'americans');
    expect((words[americans + 1]?.start ?? 0) - (words[americans]?.end ?? 0)).toBeGreaterThan(0.7);
    expect(words.at(-1)?.end).toBeLessThanOrEqual(11);
  });

  test('have scores between 0 and 1, high ones for clear speech', async () => {
    const { words } = await heard;
    const scores = words.map(({ score }) => score ?? -1);
    expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
    expect(scores.reduce((sum, score) => sum + score, 0) / scores.length).toBeGreaterThan(0.7);
  });
});

test('a word buried in noise is less sure than the same word', async () => {
  const clear = samplesOf('newhome.wav');
  const random = randomFrom(7);
  const noisy = clear.map((sample) => sample + random() * 0.03);
  const mean = (words: { score: number | null }[]) =>
    words.reduce((sum, { score }) => sum + (score ?? 0), 0) / words.length;
  expect(mean((await hear(noisy)).words)).toBeLessThan(mean((await hear(clear)).words));
});

test.for([
  [0.3, 1, 'and so'],
  [3.2, 3.9, 'ask'],
  [9.8, 10.5, 'your country'],
] as const)('what lasts less than a second is heard (from %d to %d s)', async ([from, to, said]) => {
  const pcm = samplesOf('jfk.wav').slice(from * pcmRate, to * pcmRate);
  expect(plain((await hear(pcm)).text)).toBe(said);
});

test('recordings joined at random gaps keep all their words', async () => {
  const random = randomFrom(1);
  const between = (low: number, high: number) => low + ((random() + 1) / 2) * (high - low);
  const names = ['sb_spk1_snt6.wav', 'jfk.wav', 'newhome.wav', 'ps_0870.wav'];
  const order = [...names, ...names].sort(() => random());
  const parts = order.flatMap((name) => [silence(between(0.2, 2.5)), samplesOf(name)]);
  const alone = new Map<string, string>();
  for (const name of names) alone.set(name, plain((await hear(samplesOf(name))).text));
  const { text } = await hear(joinSamples(...parts));
  expect(plain(text)).toBe(order.map((name) => alone.get(name)).join(' '));
});
