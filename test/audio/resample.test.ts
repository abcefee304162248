import { expect, test } from 'vitest';
import { resample } from '../../src/audio/resample.ts';
import { pcmRate } from '../../src/domain/audio.ts';

const toneAt = (rate: number, hertz: number) =>
  Float32Array.from({ length: rate }, (_, i) => Math.sin((2 * Math.PI * hertz * i) / rate));

/** The largest difference, away from the ends, where the tone begins and stops at once. */
const difference = (a: Float32Array, b: Float32Array) =>
  Math.max(...a.subarray(1_000, -1_000).map((sample, i) => Math.abs(sample - (b[i + 1_000] ?? 0))));

test.for([8_000, 11_025, 22_050, 44_100, 48_000, 96_000, 44_101])(
  'a tone at %i samples a second stays the same tone, at the same place',
  (rate) => {
    const heard = resample(toneAt(rate, 1_000), rate);
    expect(heard.length).toBe(pcmRate);
    expect(difference(heard, toneAt(pcmRate, 1_000))).toBeLessThan(0.001);
  },
);

test('what 16 kHz cannot hold is filtered out, and does not come back as another tone', () => {
  const heard = resample(toneAt(48_000, 12_000), 48_000);
  expect(difference(heard, new Float32Array(pcmRate))).toBeLessThan(0.001);
});
