import { pcmRate } from '../../../domain/audio.ts';

/** Whisper looks at 25 ms every 10 ms, and its encoder makes one position of two looks. */
export const spectrumSamples = 400;
export const hopSamples = 160;
const positionSamples = 2 * hopSamples;
export const positionSeconds = positionSamples / pcmRate;

/** Silence before the samples: where a recording begins in the middle of a sound, its first word was lost without. */
export const leadSeconds = 0.3;
const leadSamples = Math.round(leadSeconds * pcmRate);

/** A third of a second of the silence behind the audio, which is looked at as closely as the audio. */
const closeSilence = 16;
/** Of the rest every position stands for up to eight, if there are this many without: with fewer, short clips came out twice. */
const mostThinned = 8;
const leastPositions = 512;

/**
 * The model was trained on windows of 30 s. Most of the window of a short clip is silence, so that is thinned out: a
 * position is computed for several, and counts as many in attention (docs/decisions/0144-fast.md).
 */
export interface Window {
  /** The audio and a little silence. The first look reaches half its length to the left of the first sample. */
  pcm: Float32Array;
  /** For each position that is computed its place in the window, and the place in `pcm` whose audio it has. */
  places: number[];
  rows: number[];
  /** How many positions it stands for. */
  counts: number[];
}

/** The samples between two silences, as a window of so many positions. */
export function toWindow(pcm: Float32Array, context: number): Window {
  const audio = Math.ceil((leadSamples + pcm.length) / positionSamples);
  const close = Math.min(context, audio + closeSilence);
  const room = Math.max(1, leastPositions - close);
  const step = Math.min(mostThinned, Math.max(1, Math.floor((context - close) / room)));
  const places = Array.from({ length: close }, (_, i) => i);
  const counts = places.map(() => 1);
  for (let at = close; at < context; at += step) {
    const count = Math.min(step, context - at);
    places.push(at + Math.floor((count - 1) / 2));
    counts.push(count);
  }
  // What is next to the end looks beyond it, where there is nothing, not even silence.
  const silent = close - 2;
  const window = new Float32Array(close * positionSamples + spectrumSamples - hopSamples);
  window.set(pcm.subarray(0, close * positionSamples - leadSamples), spectrumSamples / 2 + leadSamples);
  return { pcm: window, places, rows: places.map((place) => (place < close ? place : silent)), counts };
}

const frameSamples = pcmRate / 50;
/** Shorter than a pause between words in fluent speech, longer than one within a word. */
const framesPerPause = 6;

/** The middle of the quietest 120 ms in the middle half. */
export function quietestSample(pcm: Float32Array): number {
  const count = Math.floor(pcm.length / frameSamples);
  const sums = new Float64Array(count + 1);
  for (let frame = 0; frame < count; frame++) {
    let energy = 0;
    for (const sample of pcm.subarray(frame * frameSamples, (frame + 1) * frameSamples))
      energy += sample * sample;
    sums[frame + 1] = (sums[frame] as number) + energy;
  }
  const energyAt = (frame: number) => (sums[frame + framesPerPause] as number) - (sums[frame] as number);
  let best = Math.floor(count / 4);
  for (let frame = best; frame < (count * 3) / 4 - framesPerPause; frame++)
    if (energyAt(frame) < energyAt(best)) best = frame;
  return (best + framesPerPause / 2) * frameSamples;
}
