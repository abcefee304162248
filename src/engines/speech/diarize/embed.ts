import { join } from 'node:path';
import type { VoiceActivity } from '../../ports/vad.ts';
import { halfOf, InferenceSession, Tensor } from '../onnx-runtime.ts';
import { graphFile, readPrepared } from '../prepared.ts';
import { cepstra, cepstraOf, hopSeconds } from './features.ts';

/** How many frames before and after one the network looks at. */
export const contextFrames = 7;
/** Length of a speaker embedding (an x-vector). */
export const embeddingSize = 128;

export interface SpeakerNetwork {
  /**
   * For each window a vector of length one: the nearer two of them, the likelier the same person. `features` has
   * `contextFrames` more on either side; a window is a range of the frames between.
   */
  embed(
    features: Float32Array,
    windows: readonly (readonly [from: number, to: number])[],
  ): Promise<Float32Array[]>;
}

/** A moment of speech, and a vector of length one for the speaker’s voice in it. */
export interface SpeakerEmbedding {
  start: number;
  end: number;
  vector: Float32Array;
}

/** The speaker embeddings of a chunk, packed: they travel between processes, some hundred thousand numbers for an hour. */
export interface PackedEmbeddings {
  /** Start and end of each, in seconds from the beginning of the chunk. */
  times: Float64Array;
  vectors: Float32Array;
}

export const packEmbeddings = (embeddings: readonly SpeakerEmbedding[]): PackedEmbeddings => ({
  times: Float64Array.from(embeddings.flatMap(({ start, end }) => [start, end])),
  vectors: Float32Array.from(embeddings.flatMap(({ vector }) => [...vector])),
});

/** With times in seconds from the beginning of the recording, in which the chunk begins at `from`. */
export const unpackEmbeddings = ({ times, vectors }: PackedEmbeddings, from: number): SpeakerEmbedding[] =>
  Array.from({ length: times.length / 2 }, (_, i) => ({
    start: from + (times[2 * i] ?? 0),
    end: from + (times[2 * i + 1] ?? 0),
    vector: vectors.subarray(i * embeddingSize, (i + 1) * embeddingSize),
  }));

const windowFrames = 150;
const stepFrames = 25;
/** Less tells nothing about who speaks. */
const leastFrames = 40;
/** A shorter silence does not end a run of speech: stops such as p and t have one. */
const bridgedFrames = 15;
const meanFrames = 300;

/** The speaker embeddings of a chunk, with times from its beginning: by windows of 1.5 s every quarter of a second within each run of speech. */
export async function embedSpeakers(
  { pcm, voice }: { pcm: Float32Array; voice: VoiceActivity },
  network: SpeakerNetwork,
): Promise<SpeakerEmbedding[]> {
  const features = cepstraOf(pcm);
  const isSpeech = speechFrames(voice, features.length / cepstra);
  subtractMeans(features, isSpeech);
  const embeddings: SpeakerEmbedding[] = [];
  for (const [from, to] of runsOf(isSpeech)) {
    const windows = windowsOf(to - from);
    if (windows.length === 0) continue;
    const vectors = await network.embed(withContext(features, from, to), windows);
    for (const [i, [first, last]] of windows.entries()) {
      const vector = vectors[i];
      if (vector)
        embeddings.push({ start: (from + first) * hopSeconds, end: (from + last) * hopSeconds, vector });
    }
  }
  return embeddings;
}

/** A frame of features lasts 25 ms; what counts is its middle. */
const speechFrames = ({ frames, frameSeconds }: VoiceActivity, count: number): Uint8Array =>
  Uint8Array.from(
    { length: count },
    (_, i) => frames[Math.floor((i * hopSeconds + 0.0125) / frameSeconds)] ?? 0,
  );

function runsOf(isSpeech: Uint8Array): [number, number][] {
  const runs: [number, number][] = [];
  for (const [i, flag] of isSpeech.entries()) {
    if (flag === 0) continue;
    const last = runs.at(-1);
    if (last && i - last[1] <= bridgedFrames) last[1] = i + 1;
    else runs.push([i, i + 1]);
  }
  return runs;
}

function windowsOf(frames: number): [number, number][] {
  if (frames < leastFrames) return [];
  if (frames < windowFrames + stepFrames) return [[0, Math.min(frames, windowFrames)]];
  const count = Math.floor((frames - windowFrames) / stepFrames) + 1;
  return Array.from({ length: count }, (_, i) => [i * stepFrames, i * stepFrames + windowFrames]);
}

/** Takes the mean of the speech in the three seconds around each frame from it: the line and the room fall away. */
function subtractMeans(features: Float32Array, isSpeech: Uint8Array): void {
  const spoken = [...isSpeech.keys()].filter((i) => isSpeech[i] === 1);
  const sums = new Float64Array((spoken.length + 1) * cepstra);
  for (const [n, frame] of spoken.entries())
    for (let k = 0; k < cepstra; k++)
      sums[(n + 1) * cepstra + k] =
        (sums[n * cepstra + k] as number) + (features[frame * cepstra + k] as number);
  const length = Math.min(meanFrames, spoken.length);
  let passed = 0;
  for (let frame = 0; frame < isSpeech.length && length > 0; frame++) {
    const from = Math.max(0, Math.min(spoken.length - length, passed - length / 2)) | 0;
    for (let k = 0; k < cepstra; k++) {
      const sum = (sums[(from + length) * cepstra + k] as number) - (sums[from * cepstra + k] as number);
      features[frame * cepstra + k] = (features[frame * cepstra + k] as number) - sum / length;
    }
    passed += isSpeech[frame] as number;
  }
}

/** The frames of a run and those the network looks at around it; beyond the ends of the chunk the outermost again. */
function withContext(features: Float32Array, from: number, to: number): Float32Array {
  const last = features.length / cepstra - 1;
  const taken = new Float32Array((to - from + 2 * contextFrames) * cepstra);
  for (let i = 0; i < taken.length / cepstra; i++) {
    const frame = Math.max(0, Math.min(last, from - contextFrames + i));
    taken.set(features.subarray(frame * cepstra, (frame + 1) * cepstra), i * cepstra);
  }
  return taken;
}

/** The x-vector network of Vosk (docs/decisions/0082-speakers.md), from the folder that tools/prepare-model made. */
export async function loadSpeakerNetwork(place: string, threads: number): Promise<SpeakerNetwork> {
  const mean = Float32Array.from(readPrepared(place).mean);
  const session = await InferenceSession.create(join(place, graphFile('speakers')), {
    intraOpNumThreads: halfOf(threads),
    interOpNumThreads: 1,
    enableCpuMemArena: false,
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });

  return {
    async embed(features, windows) {
      const frames = features.length / cepstra - 2 * contextFrames;
      const shares = new Float32Array(windows.length * frames);
      for (const [i, [from, to]] of windows.entries())
        shares.fill(1 / (to - from), i * frames + from, i * frames + to);
      const { voices } = (await session.run({
        features: new Tensor('float32', features, [features.length / cepstra, cepstra]),
        shares: new Tensor('float32', shares, [windows.length, frames]),
      })) as { voices: Tensor };
      // The graph declares its output as a tensor of floats.
      const all = voices.data as Float32Array;
      return windows.map((_, i) => toUnit(all.slice(i * embeddingSize, (i + 1) * embeddingSize), mean));
    },
  };
}

function toUnit(voice: Float32Array, mean: Float32Array): Float32Array {
  const centred = voice.map((value, i) => value - (mean[i] ?? 0));
  const length = Math.hypot(...centred);
  return centred.map((value) => value / length);
}
