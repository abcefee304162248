import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { WhisperShape } from '../../src/engines/speech/whisper/shape.ts';

/** As small as a Whisper model can be; the vocabulary has its real size, since the marks stand at its end. */
export const smallShape: WhisperShape = {
  vocabulary: 51_864,
  audioContext: 1500,
  audioState: 32,
  audioHeads: 2,
  audioLayers: 1,
  textContext: 448,
  textState: 32,
  textHeads: 2,
  textLayers: 2,
  mels: 80,
};

/** A folder that is gone after the test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'steno-whisper-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** GGML's numbers for its packings. */
const packings = { F16: 1, Q5_0: 6, Q8_0: 8 };
type Packing = keyof typeof packings;

/** Writes a model of that shape with random weights, the same for the same seed. */
export function writeWhisperFile(
  path: string,
  shape: WhisperShape,
  seed = 1,
  packing: Packing = 'F16',
): void {
  const parts = [head(shape), vocabulary(), ...tensors(shape, randomFrom(seed), packing)];
  writeFileSync(path, Buffer.concat(parts));
}

/** As whisper.cpp's tool does: blocks of 32 with a scale, here with whole numbers from -16 to 15 or from -127 to 127. */
function packed(values: Float32Array, packing: Packing): Buffer {
  if (packing === 'F16') return Buffer.from(new Float16Array(values).buffer);
  const blocks: Buffer[] = [];
  for (let at = 0; at < values.length; at += 32) {
    const block = values.subarray(at, at + 32);
    const scale = Math.max(...block.map(Math.abs)) / (packing === 'Q8_0' ? 127 : 15) || 1;
    const levels = [...block].map((value) => Math.round(value / scale));
    const bytes = Buffer.alloc(packing === 'Q8_0' ? 34 : 22);
    Buffer.from(new Float16Array([scale]).buffer).copy(bytes);
    if (packing === 'Q8_0') for (const [i, level] of levels.entries()) bytes.writeInt8(level, 2 + i);
    else
      for (const [i, level] of levels.entries()) {
        const [low, high] = [(level + 16) & 15, (level + 16) >> 4];
        bytes[2 + (i >> 3)] = (bytes[2 + (i >> 3)] ?? 0) | (high << (i & 7));
        bytes[6 + (i % 16)] = (bytes[6 + (i % 16)] ?? 0) | (low << (i < 16 ? 0 : 4));
      }
    blocks.push(bytes);
  }
  return Buffer.concat(blocks);
}

/** Numbers between -1 and 1. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state / 2 ** 31;
  };
}

const int32s = (...values: number[]) => Buffer.from(Int32Array.from(values).buffer);

function head(shape: WhisperShape): Buffer {
  const bins = 201;
  const filters = Float32Array.from({ length: shape.mels * bins }, (_, i) =>
    Math.floor((i % bins) / 3) === Math.floor(i / bins) ? 0.02 : 0,
  );
  const magic = 0x67_67_6d_6c;
  return Buffer.concat([
    int32s(magic, ...Object.values(shape), 1, shape.mels, bins),
    Buffer.from(filters.buffer),
  ]);
}

/** Every byte, then letters in twos and threes: enough to write any text with. */
function vocabulary(): Buffer {
  const count = 50_257;
  const letters = 'etaoinshrdlucmfwypvbgkqjxz .,';
  const words = [...letters].flatMap((a) =>
    [...letters].flatMap((b) => [a + b, ...[...letters].map((c) => a + b + c)]),
  );
  const tokens = Array.from({ length: count }, (_, id) =>
    id < 256 ? Buffer.from([id]) : Buffer.from(words[id - 256] ?? `#${id}`),
  );
  return Buffer.concat([int32s(count), ...tokens.flatMap((token) => [int32s(token.length), token])]);
}

function tensors(shape: WhisperShape, random: () => number, packing: Packing): Buffer[] {
  const {
    vocabulary: words,
    audioContext,
    audioState,
    audioLayers,
    textContext,
    textState,
    textLayers,
    mels,
  } = shape;
  const written: Buffer[] = [];
  const tensor = (name: string, sizes: number[], centre = 0) => {
    const count = sizes.reduce((product, size) => product * size, 1);
    const isMatrix = sizes.length > 1;
    const spread = isMatrix ? 1 / Math.sqrt(sizes.at(-1) ?? 1) : 0.1;
    const values = Float32Array.from({ length: count }, () => centre + random() * spread);
    // Convolutions and positions are never packed.
    const kind = sizes.length === 2 && !name.includes('positional') ? packing : 'F16';
    const bytes = isMatrix ? packed(values, kind) : Buffer.from(values.buffer);
    // The file has the sizes in reverse.
    const about = int32s(sizes.length, name.length, isMatrix ? packings[kind] : 0, ...[...sizes].reverse());
    written.push(about, Buffer.from(name), bytes);
  };
  const norm = (name: string, state: number) => {
    tensor(`${name}.weight`, [state], 1);
    tensor(`${name}.bias`, [state]);
  };
  const linear = (name: string, outputs: number, inputs: number) => {
    tensor(`${name}.weight`, [outputs, inputs]);
    if (!name.endsWith('.key')) tensor(`${name}.bias`, [outputs]);
  };
  const attention = (name: string, state: number) => {
    for (const part of ['query', 'key', 'value', 'out']) linear(`${name}.${part}`, state, state);
    norm(`${name}_ln`, state);
  };
  const block = (name: string, state: number) => {
    attention(`${name}.attn`, state);
    linear(`${name}.mlp.0`, 4 * state, state);
    linear(`${name}.mlp.2`, state, 4 * state);
    norm(`${name}.mlp_ln`, state);
  };
  tensor('encoder.conv1.weight', [audioState, mels, 3]);
  tensor('encoder.conv1.bias', [audioState]);
  tensor('encoder.conv2.weight', [audioState, audioState, 3]);
  tensor('encoder.conv2.bias', [audioState]);
  tensor('encoder.positional_embedding', [audioContext, audioState]);
  for (let i = 0; i < audioLayers; i++) block(`encoder.blocks.${i}`, audioState);
  norm('encoder.ln_post', audioState);
  tensor('decoder.token_embedding.weight', [words, textState]);
  tensor('decoder.positional_embedding', [textContext, textState]);
  for (let i = 0; i < textLayers; i++) {
    block(`decoder.blocks.${i}`, textState);
    attention(`decoder.blocks.${i}.cross_attn`, textState);
  }
  norm('decoder.ln', textState);
  return written;
}
