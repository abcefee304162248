import { expect, test } from 'vitest';
import type { PartialTranscript } from '../../src/domain/recording.ts';
import type { Chunk } from '../../src/engines/ports/audio.ts';
import { createPartials } from '../../src/features/recordings/partial.ts';

const frameSeconds = 0.03;

/** Somebody speaks for so many seconds, and then pauses. */
function chunk(spoken: number, paused = 0): Chunk {
  const frames = new Uint8Array(Math.round((spoken + paused) / frameSeconds)).fill(
    1,
    0,
    Math.round(spoken / frameSeconds),
  );
  return { start: 10, pcm: new Float32Array(frames.length * 480), voice: { frames, frameSeconds } };
}

/** An engine that hears a word in each second, and says at which one it began. */
function hearing(isWanted = true) {
  const heard: { seconds: number; isPartial: boolean }[] = [];
  const told: PartialTranscript[] = [];
  let language: string | undefined;
  const tail = createPartials({
    isWanted: () => isWanted,
    async transcribe({ start, pcm }, isPartial) {
      const seconds = pcm.length / 16_000;
      heard.push({ seconds, isPartial });
      const words = Array.from({ length: Math.round(seconds) }, (_, at) => ({
        text: ` ${Math.round(start + at)}`,
        start: start + at,
        end: start + at + 0.9,
      }));
      return { text: '', words, language: 'en', detail: '' };
    },
    tell: (text) => told.push(text),
    language: () => language,
  });
  return {
    ...tail,
    heard,
    told,
    setLanguage(to: string) {
      language = to;
    },
    async offer(...of: Parameters<typeof chunk>): Promise<void> {
      tail.offer(chunk(...of), () => false);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('what is spoken is heard again when there is more of it, not while the speaker pauses', async () => {
  const { heard, told, offer } = hearing();
  for (const [spoken, paused] of [
    [2, 0],
    [2, 0.4],
    [2, 0.7],
    [3, 0],
  ] as const)
    await offer(spoken, paused);
  expect(heard).toHaveLength(2);
  expect(told.at(-1)).toEqual({ start_ms: 10_000, text: '10 11 12' });
});

test('of a long one only the end is heard again, and every word is there once', async () => {
  const { heard, told, offer } = hearing();
  for (let spoken = 1; spoken <= 20; spoken++) await offer(spoken);
  expect(Math.max(...heard.map(({ seconds }) => seconds))).toBeLessThan(6);
  expect(told.at(-1)?.text).toBe(Array.from({ length: 20 }, (_, at) => 10 + at).join(' '));
});

test('a likely end is heard whole, for the final words if nothing more is said', async () => {
  const { heard, offer, transcribedOf, setLanguage } = hearing();
  await offer(6);
  await offer(6, 0.9);
  await offer(6, 1.3);
  expect(heard.filter(({ isPartial }) => !isPartial)).toEqual([{ seconds: 6.3, isPartial: false }]);
  expect(await transcribedOf(chunk(6, 0.3))).toBeDefined();
  expect(transcribedOf(chunk(6.3, 0))).toBeUndefined();
  setLanguage('de');
  expect(transcribedOf(chunk(6, 0.3))).toBeUndefined();
});

test('who goes on after a short pause is heard from there', async () => {
  const { heard, told, offer } = hearing();
  await offer(10, 0.9);
  await offer(12);
  expect(heard.at(-1)?.seconds).toBeLessThan(2);
  expect(told.at(-1)?.text).toBe('10 11 12 13 14 15 16 17 18 19 20 21');
});

test('nothing is heard for nobody', async () => {
  const { heard, offer } = hearing(false);
  await offer(3);
  expect(heard).toEqual([]);
});
