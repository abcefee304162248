import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createAudioDecoder } from '../../src/audio/decoder.ts';
import { toStretches } from '../../src/audio/stretches.ts';
import type { AudioFile, Stretch } from '../../src/ports/audio.ts';
import { inOnePiece, joinSamples, recording, samplesOf, silence } from '../support/sound.ts';

const decoder = createAudioDecoder();
afterAll(() => decoder.close());

async function placesIn(stretches: AsyncIterable<Stretch>): Promise<number[][]> {
  const places: number[][] = [];
  for await (const { start, pcm } of stretches) places.push([start, pcm.length]);
  return places;
}

test('live stretches end at pauses, and are the same whatever the pieces', async () => {
  const said = samplesOf('sb_spk1_snt6.wav');
  const pcm = joinSamples(said, silence(4), said, silence(1), said, silence(6));
  const whole = await placesIn(toStretches(inOnePiece(pcm), { isLive: true }));
  expect(whole).toHaveLength(2);
  async function* small() {
    for (let at = 0; at < pcm.length; at += 1_234) yield pcm.subarray(at, at + 1_234);
  }
  expect(await placesIn(toStretches(small(), { isLive: true }))).toEqual(whole);
});

test.each(['jfk_live.webm', 'jfk.ogg', 'jfk.mp3'])('%s is heard while it grows', async (name) => {
  const bytes = recording(name);
  let size = 0;
  const file: AudioFile = {
    size: 0,
    read: async (start, end) => bytes.subarray(start, end),
    async grown(beyond) {
      while (size <= beyond && size < bytes.length) {
        size = Math.min(bytes.length, size + 7_000);
        await sleep(1);
      }
      return { size, isComplete: size === bytes.length };
    },
  };
  const live = await decoder.listen(file);
  expect(size).toBeLessThan(bytes.length);
  const heard = await placesIn(live.stretches());
  const opened = await decoder.open(bytes);
  expect(heard.length).toBeGreaterThan(0);
  expect(Math.abs(live.durationMs() - opened.durationMs)).toBeLessThan(100);
});
