import { readdirSync, readFileSync } from 'node:fs';
import { pick, type Random } from './values.ts';

const folder = new URL('../test/fixtures/audio/', import.meta.url);
const isAudio = (name: string) => /\.(3gp|aac|flac|m4a|mp3|mp4|oga|ogg|wav|webm)$/.test(name);
const [first = '', ...others] = readdirSync(folder).filter(isAudio).sort();

/** At most this much of a recording: what is read of a file is decided by its beginning. */
const mostBytes = 60_000;

const whole = (random: Random) => readFileSync(new URL(pick(random, [first, ...others]), folder));
const below = (random: Random, end: number) => Math.floor(random() * end);

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const mutations: readonly [Mutation, ...Mutation[]] = [
  // Cut off, often within the header.
  (bytes, random) => bytes.subarray(0, below(random, random() < 0.5 ? 300 : bytes.length)),
  (bytes, random) => withSome(bytes, random, 8, () => below(random, 256)),
  (bytes, random) => withSome(bytes.subarray(0, 4_000), random, 200, () => below(random, 256)),
  // The numbers of a header, at their bounds.
  (bytes, random) => withSome(bytes, random, 3, () => pick(random, [0, 0x7f, 0x80, 0xff])),
  // The head of a recording, and then nothing.
  (bytes, random) => Buffer.concat([bytes.subarray(0, below(random, 2_000)), Buffer.alloc(20_000)]),
  // The head of one and the body of another.
  (bytes, random) => Buffer.concat([bytes.subarray(0, below(random, 2_000)), whole(random).subarray(500)]),
  (bytes, random) => {
    const from = below(random, bytes.length);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(below(random, from))]);
  },
  (bytes) => Buffer.concat([bytes, bytes]),
  (bytes) => bytes,
];

function withSome(bytes: Buffer, random: Random, most: number, value: () => number): Buffer {
  const changed = Buffer.from(bytes);
  // Near the beginning, where the structure of a file is.
  const reach = random() < 0.7 ? Math.min(600, changed.length) : changed.length;
  for (let left = 1 + below(random, most); left > 0; left -= 1) changed[below(random, reach)] = value();
  return changed;
}

export const mutated = (bytes: Buffer, random: Random): Buffer => pick(random, mutations)(bytes, random);

/** A recording in one of the formats that was damaged on purpose. */
export const mutatedAudio = (random: Random): Buffer => mutated(whole(random).subarray(0, mostBytes), random);
