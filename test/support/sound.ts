import { readFileSync } from 'node:fs';
import { pcmRate } from '../../src/domain/audio.ts';
import { toChunks } from '../../src/engines/audio/chunks.ts';
import { decodeFile } from '../../src/engines/audio/decode-file.ts';
import { wholeFile } from '../../src/engines/audio/file-bytes.ts';
import { defaultAudioLimits } from '../../src/engines/audio/sniff.ts';
import type { Recording } from '../../src/engines/ports/audio.ts';
import { toWav } from '../../src/engines/speech/wav.ts';

export const recording = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../fixtures/audio/${name}`, import.meta.url)));

/** Samples of a 16-bit mono WAV of the fixtures. */
export function samplesOf(name: string): Float32Array {
  const file = Buffer.from(recording(name));
  const start = file.indexOf('data') + 8;
  return Float32Array.from(
    { length: Math.floor((file.length - start) / 2) },
    (_, i) => file.readInt16LE(start + i * 2) / 32_768,
  );
}

const make = (seconds: number, sample: (i: number) => number) =>
  Float32Array.from({ length: Math.round(seconds * pcmRate) }, (_, i) => sample(i));

export const silence = (seconds: number) => make(seconds, () => 0);
export const tone = (seconds: number, hertz = 440) =>
  make(seconds, (i) => 0.3 * Math.sin((2 * Math.PI * hertz * i) / pcmRate));

/** White noise from a fixed seed: the same in every run. */
export function noise(seconds: number, level = 0.3): Float32Array {
  let seed = 42;
  return make(seconds, () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return level * (seed / 1_073_741_824 - 1);
  });
}

export function joinSamples(...parts: Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

export const wavOf = (pcm: Float32Array) => toWav(pcm);

export async function joinPieces(pieces: AsyncIterable<Float32Array>): Promise<Float32Array> {
  const all: Float32Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return joinSamples(...all);
}

/** All samples of a file, as the decoder gives them piece by piece. */
export async function decodedSamples(file: Uint8Array): Promise<Float32Array> {
  const { pieces } = await decodeFile(wholeFile(file), defaultAudioLimits);
  return joinPieces(pieces);
}

/** What an engine is given of these samples. */
export const recordingOf = (pcm: Float32Array): Recording => ({
  chunks: () => toChunks(inOnePiece(pcm)),
  durationMs: (pcm.length / pcmRate) * 1000,
});

export async function* inOnePiece(pcm: Float32Array): AsyncGenerator<Float32Array> {
  yield pcm;
}
