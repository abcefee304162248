import { pcmRate } from '../../domain/audio.ts';

/** Where the average has less than this share of the loudest channel's energy, the channels cancel each other. */
const lostShare = 0.1;

/**
 * One channel: the average of all. But a cable wired the wrong way round makes one channel the negative of the other,
 * so that their average is silence, and a speaker on one of four channels loses 12 dB. There one loud channel is taken alone:
 * the first that has half the energy of the loudest, so that neighbouring pieces take the same one.
 */
export function mixDown(channels: readonly Float32Array[], length: number): Float32Array {
  const [first] = channels;
  if (channels.length === 1 && first) return first.slice(0, length);
  const mono = new Float32Array(length);
  for (const channel of channels)
    for (let i = 0; i < length; i++) mono[i] = (mono[i] ?? 0) + (channel[i] ?? 0) / channels.length;
  const energies = channels.map((channel) => energyOf(channel, length));
  const loudest = Math.max(...energies);
  if (energyOf(mono, length) >= loudest * lostShare) return mono;
  const loud = channels.find((_, i) => (energies[i] ?? 0) >= loudest / 2);
  return loud ? loud.slice(0, length) : mono;
}

function energyOf(channel: Float32Array, length: number): number {
  let energy = 0;
  for (let i = 0; i < length; i++) energy += (channel[i] ?? 0) ** 2;
  return energy;
}

/** The parts one after another; together they have `length` samples. */
function join(parts: readonly Float32Array[], length: number): Float32Array {
  const whole = new Float32Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Joins small parts, such as packets of 20 ms, to pieces of at least so many samples; only the last may be shorter. */
export async function* inPieces(
  parts: AsyncIterable<Float32Array>,
  least: number,
): AsyncGenerator<Float32Array> {
  let small: Float32Array[] = [];
  let length = 0;
  for await (const part of parts) {
    small.push(part);
    length += part.length;
    if (length < least) continue;
    yield join(small, length);
    [small, length] = [[], 0];
  }
  if (length > 0) yield join(small, length);
}

/** Without the first so many samples. */
export async function* withoutFirst(
  samples: number,
  pieces: AsyncIterable<Float32Array>,
): AsyncGenerator<Float32Array> {
  let left = samples;
  for await (const piece of pieces) {
    const kept = piece.subarray(Math.min(left, piece.length));
    left -= piece.length - kept.length;
    if (kept.length > 0) yield kept;
  }
}

/** Without the last so many samples. */
export async function* withoutLast(
  samples: number,
  pieces: AsyncIterable<Float32Array>,
): AsyncGenerator<Float32Array> {
  let held: Float32Array = new Float32Array();
  for await (const piece of pieces) {
    const both = join([held, piece], held.length + piece.length);
    const known = Math.max(0, both.length - samples);
    if (known > 0) yield both.subarray(0, known);
    held = both.slice(known);
  }
}

const loudest = 32_768;

/**
 * Whisper answers "!!!!" to NaN or infinite samples: they become silence, and the rest is cut to ±1. All have 16 bits, so that
 * a FLAC gives the words of the WAV it was made from: resampling leaves differences of a last bit, and in one recording they
 * turned "ask" into "asked".
 */
export function cleanSamples(pcm: Float32Array): Float32Array {
  const clean = new Float32Array(pcm.length);
  for (let i = 0; i < pcm.length; i++) {
    const sample = pcm[i] ?? 0;
    clean[i] = Number.isFinite(sample)
      ? Math.round(Math.max(-1, Math.min(1, sample)) * loudest) / loudest
      : 0;
  }
  return clean;
}

/** Zero crossings of the sinc on each side. With 16, a tone of 9 kHz comes out 57 dB quieter. */
const crossings = 16;
/** The filter needs some room to fall: the last 5 % of the band go. */
const passBand = 0.95;

/** The same audio at 16 kHz, piece by piece, by a windowed sinc. What the new rate cannot hold is filtered out. */
export async function* resample(
  pieces: AsyncIterable<Float32Array>,
  rate: number,
): AsyncGenerator<Float32Array> {
  if (rate === pcmRate) {
    yield* pieces;
    return;
  }
  const divisor = greatestCommonDivisor(rate, pcmRate);
  const [step, phases] = [rate / divisor, pcmRate / divisor];
  const chunk = Math.max(1, rate / pcmRate);
  const reach = Math.ceil(crossings * chunk);
  const kernels: Float32Array[] = [];
  // With silence around it no index leaves the array. A second of 44.1 kHz takes 4.8 ms so, and 13 ms without.
  let input: Float32Array = new Float32Array(reach - 1);
  let inputStart = 1 - reach;
  let received = 0;
  let made = 0;

  function make(until: number): Float32Array {
    const resampled = new Float32Array(Math.max(0, until - made));
    for (let i = 0; i < resampled.length; i++) {
      const phase = ((made + i) * step) % phases;
      const kernel = kernels[phase] ?? kernelAt(phase / phases, reach, chunk);
      kernels[phase] = kernel;
      const place = ((made + i) * step - phase) / phases;
      resampled[i] = weigh(kernel, input, place - reach + 1 - inputStart);
    }
    made += resampled.length;
    const needed = Math.floor((made * step) / phases) - reach + 1;
    input = input.subarray(Math.max(0, needed - inputStart));
    inputStart = Math.max(inputStart, needed);
    return resampled;
  }

  for await (const piece of pieces) {
    input = joined(input, piece);
    received += piece.length;
    yield make(Math.ceil(((received - reach) * phases) / step));
  }
  input = joined(input, new Float32Array(reach + 1));
  yield make(Math.floor((received * phases) / step));
}

function joined(a: Float32Array, b: Float32Array): Float32Array {
  const both = new Float32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function weigh(kernel: Float32Array, pcm: Float32Array, from: number): number {
  let sum = 0;
  for (let k = 0; k < kernel.length; k++) sum += (kernel[k] ?? 0) * (pcm[from + k] ?? 0);
  return sum;
}

/** Weights of the samples around a place that lies `fraction` after one of them. */
function kernelAt(fraction: number, reach: number, chunk: number): Float32Array {
  const kernel = Float32Array.from({ length: 2 * reach }, (_, k) => {
    const distance = (k - reach + 1 - fraction) / chunk;
    const window = Math.abs(distance) < crossings ? Math.cos((Math.PI * distance) / crossings / 2) ** 2 : 0;
    return window * sinc(distance * passBand);
  });
  const sum = kernel.reduce((total, weight) => total + weight, 0);
  return kernel.map((weight) => weight / sum);
}

const sinc = (x: number) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

const greatestCommonDivisor = (a: number, b: number): number =>
  b === 0 ? a : greatestCommonDivisor(b, a % b);
