import { afterAll, expect, test } from 'vitest';
import { toChunks } from '../../src/engines/audio/chunks.ts';
import { createAudioDecoder } from '../../src/engines/audio/decoder.ts';
import type { AudioFile, Chunk } from '../../src/engines/ports/audio.ts';
import { inOnePiece, joinSamples, recording, samplesOf, silence } from '../support/sound.ts';

const decoder = createAudioDecoder();
afterAll(() => decoder.close());

async function placesIn(chunks: AsyncIterable<Chunk>): Promise<number[][]> {
  const places: number[][] = [];
  for await (const { start, pcm } of chunks) places.push([start, pcm.length]);
  return places;
}

test('live chunks end at pauses, and are the same whatever the pieces', async () => {
  const said = samplesOf('sb_spk1_snt6.wav');
  const pcm = joinSamples(said, silence(4), said, silence(1), said, silence(6));
  const whole = await placesIn(toChunks(inOnePiece(pcm), { isLive: true }));
  expect(whole).toHaveLength(2);
  async function* small() {
    for (let at = 0; at < pcm.length; at += 1_234) yield pcm.subarray(at, at + 1_234);
  }
  expect(await placesIn(toChunks(small(), { isLive: true }))).toEqual(whole);
});

const spokenSeconds = 11;
/** Of which are in the first half of the file, less what an encoder and the reader may hold back. */
const heardSeconds = spokenSeconds / 2 - 1.2;

test.each(['jfk_live.webm', 'jfk.webm', 'jfk.ogg', 'jfk.aac', 'jfk_live.mp4', 'jfk_live_opus.mp4'])(
  'what was said in %s is heard before more arrives',
  async (name) => {
    const bytes = recording(name);
    const half = Promise.withResolvers<void>();
    let size = 0;
    const file: AudioFile = {
      size: 0,
      read: async (start, end) => bytes.subarray(start, end),
      async grown(beyond) {
        const isHalf = size >= bytes.length / 2;
        if (isHalf) await half.promise;
        if (size <= beyond) size = Math.min(bytes.length, size + (isHalf ? bytes.length : 7_000));
        return { size, isComplete: size === bytes.length };
      },
    };
    const live = await decoder.stream(file, {
      onPartial({ start, pcm }) {
        if (start + pcm.length / 16_000 > heardSeconds) half.resolve();
      },
    });
    const heard = await placesIn(live.chunks());
    const opened = await decoder.open(bytes);
    expect(heard.length).toBeGreaterThan(0);
    expect(Math.abs(live.durationMs() - opened.durationMs)).toBeLessThan(100);
  },
);

test('what cannot be heard while it grows says so at once, and the two who ask agree', async () => {
  for (const name of ['jfk.m4a', 'jfk.wav', 'jfk.mp3', 'libri_flac.oga']) {
    const bytes = recording(name);
    const file: AudioFile = { size: bytes.length, read: async (start, end) => bytes.subarray(start, end) };
    expect(await decoder.identify(file)).toMatchObject({ isStreamable: false });
    // Nothing but the beginning has arrived, and nothing follows.
    const grown = (beyond: number) =>
      beyond < 5_000 ? Promise.resolve({ size: 5_000, isComplete: false }) : new Promise<never>(() => {});
    await expect(decoder.stream({ ...file, grown })).rejects.toThrow(/before it is complete/);
  }
});
