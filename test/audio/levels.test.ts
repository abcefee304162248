import { expect, test } from 'vitest';
import { createLevels } from '../../src/engines/audio/levels.ts';
import { silence, tone } from '../support/sound.ts';

/** In pieces of any length, as decoders give them. */
function peaksOf(samples: Float32Array, pieceSamples = 4_001): number[] {
  const levels = createLevels();
  for (let at = 0; at < samples.length; at += pieceSamples)
    levels.add(samples.subarray(at, at + pieceSamples));
  return [...levels.peaks()];
}
const joined = (...parts: Float32Array[]) => Float32Array.from(parts.flatMap((part) => [...part]));

test('loud is high, silence is low, each at its place', () => {
  const peaks = peaksOf(joined(tone(1), silence(1), tone(2)));
  expect(peaks).toHaveLength(400);
  expect(peaks.slice(0, 99).every((peak) => peak > 200)).toBe(true);
  expect(peaks.slice(101, 199).every((peak) => peak === 0)).toBe(true);
  expect(peaks.slice(201).every((peak) => peak > 200)).toBe(true);
});

test('however long it is, there are at most 1,000, and each stands for the same time', () => {
  for (const seconds of [10, 11, 60, 300]) {
    const peaks = peaksOf(joined(tone(seconds / 2), silence(seconds / 2)));
    expect(peaks.length).toBeGreaterThanOrEqual(500);
    expect(peaks.length).toBeLessThanOrEqual(1_000);
    const loud = peaks.filter((peak) => peak > 100).length / peaks.length;
    expect(loud).toBeCloseTo(0.5, 1);
  }
});

test('the pieces in which it comes make no difference; what is no number is silence', () => {
  const samples = joined(tone(3), silence(2));
  expect(peaksOf(samples, 777)).toEqual(peaksOf(samples, samples.length));
  expect(peaksOf(Float32Array.of(Number.NaN, 1))).toEqual([0]);
  expect(peaksOf(new Float32Array())).toEqual([]);
});
