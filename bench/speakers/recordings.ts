import { pcmRate } from '../../src/domain/audio.ts';

export interface Person {
  name: string;
  clips: Float32Array[];
}

/** Who speaks when, in seconds. */
export interface Truth {
  start: number;
  end: number;
  person: string;
}

export interface Recording {
  name: string;
  pcm: Float32Array;
  truth: Truth[];
}

/** The same numbers for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** People take turns of 2 to 8 s, cut anywhere out of their clips, with 0.1 to 0.6 s between them, each at a loudness of their own. */
export function conversation(people: readonly Person[], turnsEach: number, random: () => number): Recording {
  const gains = people.map(() => 10 ** ((random() * 12 - 6) / 20));
  const parts: { samples: Float32Array; gain: number; person: string }[] = [];
  let last = -1;
  for (let i = 0; i < turnsEach * people.length; i++) {
    let next = i < people.length ? i : Math.floor(random() * people.length);
    if (next === last) next = (next + 1) % people.length;
    last = next;
    const { name, clips } = people[next] ?? { name: '', clips: [] };
    const clip = clips[Math.floor(random() * clips.length)] ?? new Float32Array(0);
    const length = Math.min(clip.length, Math.round((2 + random() * 6) * pcmRate));
    const from = Math.floor(random() * (clip.length - length));
    parts.push({ samples: clip.subarray(from, from + length), gain: gains[next] ?? 1, person: name });
  }
  return joined(people.map(({ name }) => name).join('+'), parts, random);
}

function joined(
  name: string,
  parts: readonly { samples: Float32Array; gain: number; person: string }[],
  random: () => number,
): Recording {
  const truth: Truth[] = [];
  const pieces: Float32Array[] = [];
  let at = 0;
  for (const { samples, gain, person } of parts) {
    pieces.push(samples.map((sample) => sample * gain));
    truth.push({ start: at / pcmRate, end: (at + samples.length) / pcmRate, person });
    const pause = new Float32Array(Math.round((0.1 + random() * 0.5) * pcmRate));
    pieces.push(pause);
    at += samples.length + pause.length;
  }
  return { name, pcm: concatenated(pieces), truth };
}

function concatenated(pieces: readonly Float32Array[]): Float32Array {
  const pcm = new Float32Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    pcm.set(piece, at);
    at += piece.length;
  }
  return pcm;
}

/**
 * One person alone: each clip as it is and changed in one way, and all clips in one recording, each
 * at another loudness.
 */
export function alone({ name, clips }: Person, random: () => number): Recording[] {
  const kinds = Object.entries(changes);
  const all = clips.flatMap((clip, i) => {
    const [change, of] = kinds[Math.floor(random() * kinds.length)] ?? ['', (pcm: Float32Array) => pcm];
    return [[`${name} ${i}`, clip] as const, [`${name} ${i} ${change}`, of(clip, random)] as const];
  });
  // No sound twice: a sentence that comes again is more alike than anything a person says.
  const long = clips.map((samples) => ({ samples, gain: 10 ** ((random() * 12 - 6) / 20), person: name }));
  return [
    ...all.map(([title, pcm]) => ({
      name: title,
      pcm,
      truth: [{ start: 0, end: pcm.length / pcmRate, person: name }],
    })),
    { ...joined(name, long, random), name: `${name} long` },
  ];
}

const changes: Record<string, (pcm: Float32Array, random: () => number) => Float32Array> = {
  quiet: (pcm) => pcm.map((sample) => Math.round(sample * 0.05 * 32_768) / 32_768),
  loud: (pcm) => pcm.map((sample) => Math.max(-1, Math.min(1, sample * 6))),
  telephone: (pcm) => {
    let [low, high] = [0, 0];
    return pcm.map((sample) => {
      low += 0.65 * (sample - low);
      high += 0.11 * (low - high);
      return Math.round((low - high) * 512) / 512;
    });
  },
  noise: (pcm, random) => {
    const level = Math.sqrt(pcm.reduce((sum, sample) => sum + sample * sample, 0) / pcm.length);
    return pcm.map((sample) => sample + level * 0.17 * (random() * 2 - 1));
  },
};
