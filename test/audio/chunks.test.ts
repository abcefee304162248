import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { pcmRate } from '../../src/domain/audio.ts';
import { planCuts, toChunks } from '../../src/engines/audio/chunks.ts';
import { cleanSamples } from '../../src/engines/audio/samples.ts';
import { createVad } from '../../src/engines/audio/vad.ts';
import type { Chunk } from '../../src/engines/ports/audio.ts';
import { inOnePiece, joinSamples, noise, samplesOf, silence, tone } from '../support/sound.ts';

const [jfk, home, pencils] = ['jfk.wav', 'newhome.wav', 'sb_spk1_snt6.wav'].map(samplesOf) as [
  Float32Array,
  Float32Array,
  Float32Array,
];
/** Three minutes: short and long pauses, a minute of noise, and more than half a minute without a pause. */
const long = cleanSamples(
  joinSamples(
    ...[silence(3), jfk, silence(0.8), home, silence(40), jfk, jfk, jfk, jfk, silence(5)],
    ...[noise(20, 0.05), pencils, tone(20), home, silence(1), jfk],
  ),
);

/** Comparing samples one by one takes the test a minute. */
const digest = (samples: Float32Array | Uint8Array) =>
  createHash('sha256')
    .update(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
    .digest('hex');
const digestOf = ({ start, pcm, voice }: Chunk) => [start, digest(pcm), digest(voice.frames)];

async function all(pieces: AsyncIterable<Float32Array>): Promise<Chunk[]> {
  const found: Chunk[] = [];
  for await (const chunk of toChunks(pieces)) found.push(chunk);
  return found;
}

async function* inPiecesOf(pcm: Float32Array, sizes: readonly number[]): AsyncGenerator<Float32Array> {
  for (let at = 0, i = 0; at < pcm.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    yield pcm.subarray(at, at + size);
    at += size;
  }
}

describe('the chunks of a recording', () => {
  test('are the same whatever the pieces in which it comes', async () => {
    const whole = await all(inOnePiece(long));
    expect(whole.length).toBeGreaterThan(4);
    for (const sizes of [[480], [16_000], [7, 100_003, 31], [3_000_000]])
      expect((await all(inPiecesOf(long, sizes))).map(digestOf)).toEqual(whole.map(digestOf));
  });

  test('lie one after another, none over 30 s, and hold the samples of their place', async () => {
    let end = 0;
    for (const { start, pcm, voice } of await all(inPiecesOf(long, [16_000]))) {
      expect(start).toBeGreaterThanOrEqual(end);
      expect(pcm.length / pcmRate).toBeLessThanOrEqual(30);
      const from = Math.round(start * pcmRate);
      expect(digest(pcm)).toBe(digest(long.subarray(from, from + pcm.length)));
      expect(voice.frames.length * voice.frameSeconds).toBeCloseTo(pcm.length / pcmRate, 1);
      end = start + pcm.length / pcmRate;
    }
  });

  test('are those of a plan that knows the whole recording beforehand', async () => {
    const detector = await createVad();
    detector.push(long);
    const planned = planCuts(detector.activity(), long.length / pcmRate, {
      longestSeconds: 28,
      wantedSeconds: 18,
    });
    detector.free();
    const found = await all(inPiecesOf(long, [16_000]));
    expect(found.map(({ start }) => Math.round(start))).toEqual(
      planned.map(({ start }) => Math.round(start)),
    );
  });

  test('are none in silence, a tone, noise or nothing', async () => {
    for (const pcm of [silence(100), tone(70), noise(70), new Float32Array()])
      expect(await all(inPiecesOf(pcm, [16_000]))).toEqual([]);
  });

  test('are asked for one at a time: no more than a window is read ahead', async () => {
    let read = 0;
    async function* counted() {
      for await (const piece of inPiecesOf(long, [pcmRate])) {
        read += 1;
        yield piece;
      }
    }
    for await (const { start, pcm } of toChunks(counted()))
      expect(read - (start + pcm.length / pcmRate)).toBeLessThan(35);
  });
});
