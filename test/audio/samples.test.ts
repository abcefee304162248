import { expect, test } from 'vitest';
import { mixDown } from '../../src/engines/audio/samples.ts';
import { noise, samplesOf, silence, tone } from '../support/sound.ts';

const voice = samplesOf('newhome.wav');
const { length } = voice;
const energy = (pcm: Float32Array) => pcm.reduce((sum, sample) => sum + sample * sample, 0);

test('two channels that are the negative of each other keep the voice', () => {
  const mixed = mixDown([voice, voice.map((sample) => -sample)], length);
  expect(mixed).toEqual(voice);
});

test('the same channel is taken in every piece, although a lossy codec makes them differ a little', () => {
  const other = voice.map((sample, i) => -sample * (i % 1000 < 500 ? 1.01 : 0.99));
  for (let at = 0; at + 320 <= length; at += 320)
    expect(mixDown([voice.subarray(at, at + 320), other.subarray(at, at + 320)], 320)).toEqual(
      voice.slice(at, at + 320),
    );
});

test('a voice in one of two channels is there at half its level', () => {
  expect(energy(mixDown([silence(length / 16_000), voice], length))).toBeCloseTo(energy(voice) / 4, 3);
});

test('a voice in one of eight channels keeps its level', () => {
  const quiet = Array.from({ length: 7 }, () => silence(length / 16_000));
  expect(mixDown([...quiet, voice], length)).toEqual(voice);
});

test('two different voices are both there', () => {
  const [low, high] = [tone(1, 200), noise(1)];
  expect(energy(mixDown([low, high], 16_000))).toBeCloseTo((energy(low) + energy(high)) / 4, -1);
});
