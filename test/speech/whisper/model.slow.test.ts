import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findPrepared } from '../../../src/engines/speech/prepared.ts';
import { loadWhisper } from '../../../src/engines/speech/whisper/load.ts';
import type { WhisperShape } from '../../../src/engines/speech/whisper/shape.ts';
import { openWhisperFile } from '../../../tools/prepare-model/ggml-file.ts';
import { readNumbers } from '../../../tools/prepare-model/ggml-numbers.ts';
import { prepareModel } from '../../../tools/prepare-model/prepare.ts';
import { noise } from '../../support/sound.ts';
import { randomFrom, scratchFolder, smallShape, writeWhisperFile } from '../../support/whisper-file.ts';

function smallModel(shape: Partial<WhisperShape> = {}, seed = 1) {
  const folder = scratchFolder();
  const path = join(folder, 'ggml-small.bin');
  writeWhisperFile(path, { ...smallShape, ...shape }, seed);
  return { path, folder, cache: join(folder, 'cache') };
}

const load = (path: string, folders: string[]) =>
  loadWhisper({ name: 'small', place: prepareModel(path, folders), threads: 1 });

const hear = async (path: string, folders: string[]) =>
  (await load(path, folders)).recognise({ pcm: noise(2), language: undefined, prompt: 'one two' });

describe('the file', () => {
  test('tells its shape, filters, tokens and tensors', () => {
    const { path } = smallModel();
    const file = openWhisperFile(path);
    expect(file.shape).toEqual(smallShape);
    expect(file.filters.length).toBe(80 * 201);
    expect(file.tokens.length).toBe(50_257);
    expect(file.tokens[65]).toBe('A');
    expect(file.tensor('decoder.ln.weight').length).toBe(32);
    expect(file.tensor('encoder.blocks.0.mlp.0.weight').length).toBe(4 * 32 * 32);
    expect(() => file.tensor('encoder.blocks.9.mlp.0.weight')).toThrow(/has no encoder.blocks.9/);
    file.close();
  });

  test('that ends too early is refused', () => {
    const { path } = smallModel();
    truncateSync(path, 40);
    expect(() => openWhisperFile(path)).toThrow(/ends too early/);
  });

  test.for([
    ['Q4_0', 2, 18, 4, false],
    ['Q4_1', 3, 20, 4, true],
    ['Q5_0', 6, 22, 5, false],
    ['Q5_1', 7, 24, 5, true],
  ] as const)('of %s numbers is read', ([, type, bytes, bits, hasLeast]) => {
    const random = randomFrom(3);
    const levels = Array.from({ length: 32 }, () => Math.floor(((random() + 1) / 2) * 2 ** bits));
    const [scale, least] = [0.25, hasLeast ? -1.5 : -(2 ** (bits - 1)) * 0.25];
    const block = new DataView(new ArrayBuffer(bytes));
    block.setFloat16(0, scale, true);
    if (hasLeast) block.setFloat16(2, least, true);
    if (bits === 5)
      block.setUint32(
        hasLeast ? 4 : 2,
        levels.reduce((sum, level, i) => sum + (level >> 4) * 2 ** i, 0),
        true,
      );
    for (let i = 0; i < 16; i++)
      block.setUint8(bytes - 16 + i, ((levels[i] ?? 0) & 15) | (((levels[i + 16] ?? 0) & 15) << 4));
    const read = readNumbers(type, new Uint8Array(block.buffer), 32);
    expect([...read]).toEqual(levels.map((level) => level * scale + least));
  });

  test('of Q8_0 numbers is read', () => {
    const block = new DataView(new ArrayBuffer(34));
    block.setFloat16(0, 0.5, true);
    for (let i = 0; i < 32; i++) block.setInt8(2 + i, i * 8 - 128);
    expect([...readNumbers(8, new Uint8Array(block.buffer), 32)]).toEqual(
      Array.from({ length: 32 }, (_, i) => (i * 8 - 128) / 2),
    );
  });
});

describe('models of other shapes are built and run', () => {
  test.for([
    ['English', {}, 1],
    ['multilingual, 99 languages', { vocabulary: 51_865 }, 99],
    ['multilingual, 100 languages, 128 bands', { vocabulary: 51_866, mels: 128 }, 100],
    [
      'more layers and heads',
      { audioLayers: 3, textLayers: 4, audioHeads: 4, textHeads: 4, audioState: 64, textState: 64 },
      1,
    ],
    ['few decoder layers, as turbo', { vocabulary: 51_866, audioLayers: 4, textLayers: 1 }, 100],
  ] as const)('%s', async ([, shape, languages]) => {
    const { path, cache } = smallModel(shape);
    const recogniser = await load(path, [cache]);
    expect(recogniser.info.languages.length).toBe(languages);
    const { pieces, language } = await recogniser.recognise({
      pcm: noise(7),
      language: undefined,
      prompt: '',
    });
    expect(recogniser.info.languages).toContain(language);
    for (const { start, end, score } of pieces) {
      expect(start).toBeGreaterThanOrEqual(0);
      expect(end).toBeLessThanOrEqual(7);
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
    }
    expect(pieces.map(({ start }) => start)).toEqual(pieces.map(({ start }) => start).sort((a, b) => a - b));
  });
});

describe('what is made of the file', () => {
  test('is made once and gives the same answer afterwards', async () => {
    const { path, cache } = smallModel();
    const first = await hear(path, [cache]);
    const [made] = readdirSync(cache);
    const before = statSync(join(cache, made ?? '')).mtimeMs;
    expect(await hear(path, [cache])).toEqual(first);
    expect(readdirSync(cache)).toEqual([made]);
    expect(statSync(join(cache, made ?? '')).mtimeMs).toBe(before);
  });

  test('is found by the weights, wherever the file is; other weights or another date are another model', () => {
    const { path, folder, cache } = smallModel();
    utimesSync(path, 1, 1);
    const place = prepareModel(path, [cache]);
    const found = (file: string) => findPrepared({ path: file, folders: [cache], checkHash: true });
    const copy = join(folder, 'copy.bin');
    copyFileSync(path, copy);
    utimesSync(copy, 1, 1);
    expect([found(path), found(copy)]).toEqual([place, place]);
    utimesSync(copy, 2, 2);
    expect(found(copy)).toBeNull();
    writeWhisperFile(copy, smallShape, 2);
    utimesSync(copy, 1, 1);
    expect(found(copy)).toBeNull();
  });

  test('is made anew when the file changes, and the old is removed', async () => {
    const { path, cache } = smallModel();
    const first = await hear(path, [cache]);
    const old = readdirSync(cache);
    writeWhisperFile(path, smallShape, 2);
    expect(await hear(path, [cache])).not.toEqual(first);
    expect(readdirSync(cache)).toHaveLength(1);
    expect(readdirSync(cache)).not.toEqual(old);
  });

  test('is not used where it is damaged, and is made anew', async () => {
    const { path, cache } = smallModel();
    const first = await hear(path, [cache]);
    const found = (checkHash: boolean) => findPrepared({ path, folders: [cache], checkHash });
    const weights = join(cache, readdirSync(cache)[0] ?? '', 'weights.bin');
    writeFileSync(weights, readFileSync(weights).fill(7, 5_000, 50_000));
    expect(found(true)).toBeNull();
    expect(await hear(path, [cache])).toEqual(first);
    truncateSync(weights, 10_000);
    expect(found(false)).toBeNull();
    expect(await hear(path, [cache])).toEqual(first);
  });

  test('goes to the next folder where one cannot be written to; if there is none, it says so', async () => {
    const { path, folder, cache } = smallModel();
    const first = await hear(path, [cache]);
    // A file where a folder should be: root, too, cannot write below it.
    const file = join(folder, 'a file');
    writeFileSync(file, '');
    const other = scratchFolder();
    expect(await hear(path, [join(file, 'no folder'), other])).toEqual(first);
    expect(readdirSync(other)).toHaveLength(1);
    expect(() => prepareModel(path, [join(file, 'no folder')])).toThrow(/no folder .* can be written to/);
  });

  test('is whole although several processes make it at once', async () => {
    const { path, cache } = smallModel();
    const tool = join(import.meta.dirname, '../../../tools/prepare-model/index.ts');
    const processes = [1, 2, 3].map(() =>
      spawn(process.execPath, [tool, path, '--into', cache], { stdio: 'inherit' }),
    );
    const codes = await Promise.all(processes.map(async (child) => (await once(child, 'exit'))[0]));
    expect(codes).toEqual([0, 0, 0]);
    expect(readdirSync(cache)).toHaveLength(1);
    const before = statSync(join(cache, readdirSync(cache)[0] ?? '')).mtimeMs;
    prepareModel(path, [cache]);
    expect(statSync(join(cache, readdirSync(cache)[0] ?? '')).mtimeMs).toBe(before);
  });
});
