import { pcmRate } from '../../domain/audio.ts';

/** Whisper looks at 25 ms every 10 ms, and its encoder makes one position of two looks. */
export const spectrumSamples = 400;
export const hopSamples = 160;
const positionSamples = 2 * hopSamples;
export const positionSeconds = positionSamples / pcmRate;

/**
 * How many of the encoder's positions are computed: for twice the clip, never less than 10 s. With less room the model is
 * unsure of words that it is sure of in a full window (docs/decisions/0080-hearing-better.md).
 */
function positionsFor(samples: number, context: number): number {
  const clip = samples / positionSamples;
  return Math.min(context, Math.ceil(Math.max(512, clip * 2) / 64) * 64);
}

/** Silence before the samples: where a recording begins in the middle of a sound, its first word was lost without. */
export const leadSeconds = 0.3;
const leadSamples = Math.round(leadSeconds * pcmRate);

/** The samples between two silences. The first look reaches half its length to the left of the first sample. */
export function toWindow(pcm: Float32Array, context: number): Float32Array {
  const samples = positionsFor(leadSamples + pcm.length, context) * positionSamples;
  const window = new Float32Array(samples + spectrumSamples - hopSamples);
  window.set(pcm.subarray(0, samples - leadSamples), spectrumSamples / 2 + leadSamples);
  return window;
}
