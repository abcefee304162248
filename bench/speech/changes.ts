import { pcmRate } from '../../src/domain/audio.ts';
import { randomNumbers } from '../speakers/recordings.ts';

/** What real recordings suffer from (docs/decisions/0145-changed-recordings.md). The same each time. */
type Change = (pcm: Float32Array) => Float32Array;

const level = (pcm: Float32Array) =>
  Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length);
const limited: Change = (pcm) => pcm.map((sample) => Math.max(-1, Math.min(1, sample)));
const withPeak = (peak: number): Change => {
  return (pcm) => {
    const loudest = pcm.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1e-9);
    return pcm.map((sample) => (sample * peak) / loudest);
  };
};

/** A normal distribution. */
function normalNumbers(seed: number): () => number {
  const random = randomNumbers(seed);
  return () => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
}

const whiteNoise = (length: number) => {
  const normal = normalNumbers(11);
  return Float32Array.from({ length }, normal);
};

/** White noise through three slow filters: every octave has about the same power. */
function pinkNoise(length: number): Float32Array {
  let [slow, middle, fast] = [0, 0, 0];
  return whiteNoise(length).map((white) => {
    slow = 0.99765 * slow + white * 0.099046;
    middle = 0.963 * middle + white * 0.2965164;
    fast = 0.57 * fast + white * 1.0526913;
    return slow + middle + fast + white * 0.1848;
  });
}

const noise = (make: (length: number) => Float32Array, decibels: number): Change => {
  return (pcm) => {
    const added = make(pcm.length);
    const gain = (level(pcm) / level(added)) * 10 ** (-decibels / 20);
    return limited(pcm.map((sample, i) => sample + gain * (added[i] ?? 0)));
  };
};

const reach = 24;

/** As if played that much faster, higher too. `share` of the band that is left is kept. */
function played(pcm: Float32Array, speed: number, share = 1): Float32Array {
  const band = Math.min(1, 1 / speed) * share;
  return Float32Array.from({ length: Math.floor(pcm.length / speed) }, (_, i) => {
    const middle = Math.floor(i * speed);
    let sum = 0;
    for (let at = Math.max(0, middle - reach); at <= Math.min(pcm.length - 1, middle + reach); at++) {
      const distance = i * speed - at;
      const angle = Math.PI * distance * band;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / (reach + 1));
      sum += (pcm[at] ?? 0) * (Math.abs(angle) < 1e-6 ? 1 : Math.sin(angle) / angle) * band * window;
    }
    return sum;
  });
}

function withoutBelow(pcm: Float32Array, hertz: number): Float32Array {
  const keep = Math.exp((-2 * Math.PI * hertz) / pcmRate);
  let [passed, before] = [0, 0];
  return pcm.map((sample) => {
    passed = keep * (passed + sample - before);
    before = sample;
    return passed;
  });
}

/** There and back through the 8 bits of a telephone line. */
function muLaw(sample: number): number {
  const code = Math.round((Math.log(1 + 255 * Math.abs(sample)) / Math.log(256)) * 127) / 127;
  return (Math.sign(sample) * (256 ** code - 1)) / 255;
}

const telephone: Change = (pcm) =>
  played(played(withoutBelow(withoutBelow(pcm, 300), 300), 2, 0.85).map(muLaw), 0.5);

/** Echoes for half a second, from 10 ms on. */
const room: Change = (pcm) => {
  const normal = normalNumbers(5);
  const heard = Float32Array.from(pcm);
  for (let delay = 160; delay < pcmRate / 2; delay++) {
    const gain = 0.156 * normal() * Math.exp((-6.9 * delay) / (pcmRate / 2));
    if (delay % 7 !== 0) continue;
    for (let i = delay; i < pcm.length; i++) heard[i] = (heard[i] ?? 0) + gain * (pcm[i - delay] ?? 0);
  }
  return withPeak(0.7)(heard);
};

const hum: Change = (pcm) => {
  const gain = level(pcm) / Math.SQRT2;
  return limited(pcm.map((sample, i) => sample + gain * Math.sin((2 * Math.PI * 50 * i) / pcmRate)));
};

export const changes: Record<string, Change> = {
  offset: (pcm) => limited(pcm.map((sample) => sample * 0.7 + 0.15)),
  hum,
  quiet: withPeak(0.05),
  'very-quiet': withPeak(0.005),
  telephone,
  slower: (pcm) => played(pcm, 0.9),
  faster: (pcm) => played(pcm, 1.1),
  'white-20': noise(whiteNoise, 20),
  'white-10': noise(whiteNoise, 10),
  'pink-10': noise(pinkNoise, 10),
  room,
  'clipped-6': (pcm) => limited(withPeak(6)(pcm)),
  'clipped-20': (pcm) => limited(withPeak(20)(pcm)),
};
