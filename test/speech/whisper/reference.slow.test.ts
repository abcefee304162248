import { join } from 'node:path';
import { expect, test } from 'vitest';
import { InferenceSession, Tensor } from '../../../src/engines/speech/onnx-runtime.ts';
import { graphFile } from '../../../src/engines/speech/prepared.ts';
import { alignmentHeads } from '../../../src/engines/speech/whisper/alignment-heads.ts';
import type { WhisperShape } from '../../../src/engines/speech/whisper/shape.ts';
import { createTokens } from '../../../src/engines/speech/whisper/tokens.ts';
import { openWhisperFile } from '../../../tools/prepare-model/ggml-file.ts';
import { prepareModel } from '../../../tools/prepare-model/prepare.ts';
import { noise } from '../../support/sound.ts';
import { scratchFolder, smallShape, writeWhisperFile } from '../../support/whisper-file.ts';
import { createReference } from '../../support/whisper-reference.ts';

/** 1 for the same direction. Weights have seven bits in the graph and all of them in the reference. */
function likeness(a: ArrayLike<number>, b: ArrayLike<number>): number {
  expect(a.length).toBe(b.length);
  let [product, ofA, ofB] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] ?? 0, b[i] ?? 0];
    product += x * y;
    ofA += x * x;
    ofB += y * y;
  }
  return product / Math.sqrt(ofA * ofB);
}

const positions = 40;

test.for([
  ['English', {}, 'F16', 0.998],
  ['English, packed as Q8_0', {}, 'Q8_0', 0.998],
  ['English, packed as Q5_0', {}, 'Q5_0', 0.98],
  [
    'multilingual, 99 languages, other layers and heads',
    {
      vocabulary: 51_865,
      audioState: 64,
      textState: 64,
      audioHeads: 4,
      textHeads: 4,
      audioLayers: 2,
      textLayers: 3,
    },
    'F16',
    0.998,
  ],
  [
    'multilingual, 100 languages, 128 bands, few decoder layers',
    {
      vocabulary: 51_866,
      mels: 128,
      audioState: 48,
      textState: 48,
      audioHeads: 3,
      textHeads: 3,
      audioLayers: 3,
      textLayers: 1,
    },
    'F16',
    0.998,
  ],
] as const)(
  'the graphs of a model compute what Whisper computes: %s',
  async ([, changes, packing, alike]) => {
    const shape: WhisperShape = { ...smallShape, ...changes };
    const path = join(scratchFolder(), 'ggml-small.bin');
    // The reference always has the weights as they were before they were packed.
    writeWhisperFile(path, shape);
    const original = openWhisperFile(path);
    const packedPath = join(scratchFolder(), 'ggml-packed.bin');
    writeWhisperFile(packedPath, shape, 1, packing);
    const file = openWhisperFile(packedPath);
    const pcm = noise(1).subarray(0, positions * 320 + 240);
    const reference = createReference(original, pcm);
    const place = prepareModel(packedPath, [scratchFolder()]);
    const encoder = await InferenceSession.create(join(place, graphFile('encoder')));
    const decoder = await InferenceSession.create(join(place, graphFile('decoder')));
    const run = async (session: InferenceSession, feeds: Record<string, Tensor>) =>
      (await session.run(feeds)) as Record<string, Tensor>;
    const numbers = (tensor: Tensor | undefined) => tensor?.data as Float32Array;

    const listen = async (places: readonly number[], counted: readonly number[]) => {
      const whole = new Tensor('int64', BigInt64Array.from(places, BigInt), [places.length]);
      const counts = new Tensor('float32', Float32Array.from(counted), [places.length]);
      const sound = new Tensor('float32', pcm, [1, 1, pcm.length]);
      return { ...(await run(encoder, { pcm: sound, rows: whole, places: whole, counts })), counts };
    };
    const each = Array.from({ length: positions }, (_, i) => i);
    const ones = each.map(() => 1);
    const heard: Record<string, Tensor> = await listen(each, ones);
    const { textHeads: heads, textState: state, textLayers } = shape;
    const size = state / heads;
    for (let i = 0; i < textLayers; i++) {
      const { key, value } = reference.cross(i);
      expect(key.length).toBe(positions);
      const keys = Array.from({ length: state }, (_, at) => key.map((row) => row[at] ?? 0)).flat();
      const values = Array.from({ length: heads }, (_, head) =>
        value.flatMap((row) => [...row.subarray(head * size, (head + 1) * size)]),
      ).flat();
      expect(likeness(numbers(heard[`cross_key_${i}`]), keys)).toBeGreaterThan(alike);
      expect(likeness(numbers(heard[`cross_value_${i}`]), values)).toBeGreaterThan(alike);
    }

    const { start, transcribe, noTimestamps, languages, languageMark } = createTokens(file);
    const inLanguage = languages.length > 0 ? [languageMark('de'), transcribe] : [];
    const told = [start, ...inLanguage, noTimestamps];
    const names = Array.from({ length: textLayers }, (_, i) => [`key_${i}`, `value_${i}`]).flat();
    const empty = () => new Tensor('float32', new Float32Array(0), [1, heads, 0, size]);
    let past: Record<string, Tensor> = Object.fromEntries(names.map((name) => [`past_${name}`, empty()]));
    const said: number[] = [];
    // All at once first, then one by one, as the decoder does.
    for (const next of [told, [318], [1_234], [77]]) {
      said.push(...next);
      const tokens = new Tensor('int64', BigInt64Array.from(next, BigInt), [1, next.length]);
      const wanted = new Tensor('int64', BigInt64Array.of(BigInt(next.length - 1)), [1]);
      const out = await run(decoder, { tokens, wanted, ...past, ...heard });
      const { logits, looks } = reference.decode(said);
      expect(likeness(numbers(out.logits), logits)).toBeGreaterThan(alike);
      const rows = next.length;
      const looked = alignmentHeads(shape).map(([layer, head]) => looks[layer]?.[head] ?? []);
      const last = looked.flatMap((_, head) => {
        const from = (head * rows + rows - 1) * positions;
        return [...numbers(out.attention).subarray(from, from + positions)];
      });
      expect(
        likeness(
          last,
          looked.flatMap((row) => [...row]),
        ),
      ).toBeGreaterThan(alike);
      past = Object.fromEntries(names.map((name) => [`past_${name}`, out[`present_${name}`] as Tensor]));
    }

    // A position that counts for many is as good as the same one many times.
    const many = 30;
    const logitsOf = async (heardSo: Record<string, Tensor>) => {
      const tokens = new Tensor('int64', BigInt64Array.from(told, BigInt), [1, told.length]);
      const wanted = new Tensor('int64', BigInt64Array.of(BigInt(told.length - 1)), [1]);
      const nothing = Object.fromEntries(names.map((name) => [`past_${name}`, empty()]));
      return numbers((await run(decoder, { tokens, wanted, ...nothing, ...heardSo })).logits);
    };
    const repeated = await logitsOf(
      await listen(
        [...each, ...Array<number>(many - 1).fill(5)],
        [...ones, ...Array<number>(many - 1).fill(1)],
      ),
    );
    const counted = await logitsOf(await listen(each, ones.with(5, many)));
    expect(likeness(counted, repeated)).toBeGreaterThan(0.9999);
    expect(likeness(await logitsOf(heard), repeated)).toBeLessThan(likeness(counted, repeated));
    file.close();
    original.close();
  },
);
