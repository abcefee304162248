import { expect, test } from 'vitest';
import { pcmRate } from '../../src/domain/audio.ts';
import { resample } from '../../src/engines/audio/samples.ts';
import { inOnePiece, joinPieces } from '../support/sound.ts';

const toneAt = (rate: number, hertz: number) =>
  Float32Array.from({ length: rate }, (_, i) => Math.sin((2 * Math.PI * hertz * i) / rate));

const resampled = (pcm: Float32Array, rate: number) => joinPieces(resample(inOnePiece(pcm), rate));

/** The largest difference, away from the ends, where the tone begins and stops at once. */
const difference = (a: Float32Array, b: Float32Array) =>
  Math.max(...a.subarray(1_000, -1_000).map((sample, i) => Math.abs(sample - (b[i + 1_000] ?? 0))));

test.for([8_000, 11_025, 22_050, 44_100, 48_000, 96_000, 44_101])(
  'a tone at %i samples a second stays the same tone, at the same place',
  async (rate) => {
    const heard = await resampled(toneAt(rate, 1_000), rate);
    expect(heard.length).toBe(pcmRate);
    expect(difference(heard, toneAt(pcmRate, 1_000))).toBeLessThan(0.001);
  },
);

test('what 16 kHz cannot hold is filtered out, and does not come back as another tone', async () => {
  const heard = await resampled(toneAt(48_000, 12_000), 48_000);
  expect(difference(heard, new Float32Array(pcmRate))).toBeLessThan(0.001);
});

test('the pieces in which the sound comes make no difference', async () => {
  const pcm = toneAt(44_100, 1_000);
  async function* pieces() {
    for (let at = 0, size = 1; at < pcm.length; at += size, size = (size * 7) % 5_003)
      yield pcm.subarray(at, at + size);
  }
  const heard = await joinPieces(resample(pieces(), 44_100));
  expect(heard).toEqual(await resampled(pcm, 44_100));
});
