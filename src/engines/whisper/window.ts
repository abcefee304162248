import { pcmRate } from '../../domain/audio.ts';

/** Whisper looks at 25 ms every 10 ms, and its encoder makes one position of two looks. */
export const spectrumSamples = 400;
export const hopSamples = 160;
const positionSamples = 2 * hopSamples;
export const positionSeconds = positionSamples / pcmRate;

/**
 * How many of the encoder's positions are computed: for the clip and half as much again, at most 5 s more, never less
 * than 10 s in all. With less room the end of a clip is lost or said twice (docs/decisions/0061-whisper-on-onnx.md).
 */
function positionsFor(samples: number, context: number): number {
  const clip = samples / positionSamples;
  const wanted = Math.ceil(Math.max(512, Math.min(clip * 1.5, clip + 256)) / 64) * 64;
  return Math.min(context, wanted);
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
