import { pcmRate } from '../../../domain/audio.ts';

/** What the network was trained on: 23 cepstra of telephone speech, 8 kHz, 25 ms every 10 ms. */
export const cepstra = 23;
export const hopSeconds = 0.01;
const rate = 8_000;
const frameSamples = 200;
const hopSamples = 80;
const fftSize = 256;
const lowestHz = 20;
const highestHz = 3_700;
const preEmphasis = 0.97;
const lifter = 22;
const smallest = 1.2e-7;
/** Kaldi counts samples as 16-bit integers. */
const fullScale = 32_768;

/** Mel-frequency cepstra as Kaldi computes them, `cepstra` numbers for each 10 ms; the first is the energy of the frame. */
export function cepstraOf(pcm: Float32Array): Float32Array {
  const samples = toTelephone(pcm);
  const count = Math.max(0, Math.floor((samples.length - frameSamples) / hopSamples) + 1);
  const features = new Float32Array(count * cepstra);
  const real = new Float64Array(fftSize);
  const imaginary = new Float64Array(fftSize);
  const power = new Float64Array(fftSize / 2 + 1);
  for (let frame = 0; frame < count; frame++) {
    const energy = fillFrame(samples.subarray(frame * hopSamples, frame * hopSamples + frameSamples), real);
    imaginary.fill(0);
    transform(real, imaginary);
    for (let i = 0; i < power.length; i++)
      power[i] = (real[i] as number) ** 2 + (imaginary[i] as number) ** 2;
    const target = features.subarray(frame * cepstra, (frame + 1) * cepstra);
    toCepstra(power, target);
    target[0] = Math.log(Math.max(smallest, energy));
  }
  return features;
}

/** Half the rate, after a low-pass filter: a windowed sinc of 41 points that lets through what is under 3.7 kHz. */
function toTelephone(pcm: Float32Array): Float32Array {
  const samples = new Float32Array(Math.floor((pcm.length * rate) / pcmRate));
  const padded = new Float32Array(pcm.length + 2 * halfFilter);
  padded.set(pcm, halfFilter);
  for (let i = 0; i < samples.length; i++) {
    const at = (i * pcmRate) / rate;
    let sum = 0;
    for (let k = 0; k < filter.length; k++) sum += (padded[at + k] as number) * (filter[k] as number);
    samples[i] = sum * fullScale;
  }
  return samples;
}

const halfFilter = 20;
const filter = Float64Array.from({ length: 2 * halfFilter + 1 }, (_, i) => {
  const x = i - halfFilter;
  const cut = (2 * 3_850) / pcmRate;
  const sinc = x === 0 ? cut : Math.sin(Math.PI * cut * x) / (Math.PI * x);
  return sinc * (0.5 + 0.5 * Math.cos((Math.PI * x) / (halfFilter + 1)));
});

/** Takes out the mean, raises high frequencies, fades both ends; returns the energy from before the last two. */
function fillFrame(frame: Float32Array, target: Float64Array): number {
  let mean = 0;
  for (const sample of frame) mean += sample / frameSamples;
  let energy = 0;
  let last = (frame[0] ?? 0) - mean;
  target.fill(0);
  for (let i = 0; i < frameSamples; i++) {
    const sample = (frame[i] as number) - mean;
    energy += sample * sample;
    target[i] = (sample - preEmphasis * last) * (fade[i] as number);
    last = sample;
  }
  return energy;
}

/** Kaldi calls it Povey's window. */
const fade = Float64Array.from(
  { length: frameSamples },
  (_, i) => (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (frameSamples - 1))) ** 0.85,
);

const melOf = (hz: number) => 1127 * Math.log(1 + hz / 700);

/** For each band where it begins and its weights: triangles of equal width on the mel scale, each reaching to the peaks beside it. */
const bands = Array.from({ length: cepstra }, (_, band) => {
  const low = melOf(lowestHz);
  const step = (melOf(highestHz) - low) / (cepstra + 1);
  const weights = Float64Array.from({ length: fftSize / 2 + 1 }, (_, bin) => {
    const distance = Math.abs(melOf((bin * rate) / fftSize) - (low + (band + 1) * step));
    return Math.max(0, 1 - distance / step);
  });
  const first = weights.findIndex((weight) => weight > 0);
  return { first, weights: weights.subarray(first, weights.findLastIndex((weight) => weight > 0) + 1) };
});

/** The discrete cosine transform, with the higher cepstra raised. */
const cosines = Float64Array.from({ length: cepstra * cepstra }, (_, i) => {
  const [k, n] = [Math.floor(i / cepstra), i % cepstra];
  const raise = 1 + (lifter / 2) * Math.sin((Math.PI * k) / lifter);
  return raise * Math.sqrt((k === 0 ? 1 : 2) / cepstra) * Math.cos((Math.PI / cepstra) * (n + 0.5) * k);
});

function toCepstra(power: Float64Array, target: Float32Array): void {
  const logs = bands.map(({ first, weights }) => {
    let sum = 0;
    for (let i = 0; i < weights.length; i++) sum += (weights[i] as number) * (power[first + i] as number);
    return Math.log(Math.max(smallest, sum));
  });
  for (let k = 0; k < cepstra; k++) {
    let sum = 0;
    for (let n = 0; n < cepstra; n++) sum += (cosines[k * cepstra + n] as number) * (logs[n] as number);
    target[k] = sum;
  }
}

const turn = (i: number) => (-2 * Math.PI * i) / fftSize;
const cosine = Float64Array.from({ length: fftSize / 2 }, (_, i) => Math.cos(turn(i)));
const sine = Float64Array.from({ length: fftSize / 2 }, (_, i) => Math.sin(turn(i)));

/** Fourier transform in place. Single numbers instead of pairs: this took half of the time of `cepstraOf`. */
function transform(real: Float64Array, imaginary: Float64Array): void {
  for (let i = 1, j = 0; i < fftSize; i++) {
    let bit = fftSize >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    // What is imaginary is zero in the beginning.
    if (i < j) [real[i], real[j]] = [real[j] as number, real[i] as number];
  }
  for (let length = 2; length <= fftSize; length *= 2) {
    const half = length / 2;
    const step = fftSize / length;
    for (let from = 0; from < fftSize; from += length)
      for (let k = 0; k < half; k++) {
        const cos = cosine[k * step] as number;
        const sin = sine[k * step] as number;
        const a = from + k;
        const b = a + half;
        const re = real[b] as number;
        const im = imaginary[b] as number;
        const x = re * cos - im * sin;
        const y = re * sin + im * cos;
        real[b] = (real[a] as number) - x;
        imaginary[b] = (imaginary[a] as number) - y;
        real[a] = (real[a] as number) + x;
        imaginary[a] = (imaginary[a] as number) + y;
      }
  }
}
