import { describe, expect, test } from 'vitest';
import { quantise } from '../../src/engines/embedded/quantise.ts';

const int = (...values: number[]) => new Uint8Array(Int32Array.from(values).buffer);
const text = (value: string) => new TextEncoder().encode(value);
const halves = (values: number[]) => new Uint8Array(Float16Array.from(values).buffer);
const floats = (values: number[]) => new Uint8Array(Float32Array.from(values).buffer);

/** A Whisper file as small as one can be: two mel filters, a vocabulary of two, and the tensors. */
const file = (type: number, ...tensors: Uint8Array[]) =>
  Buffer.concat([
    int(0x67_67_6d_6c, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, type),
    int(1, 2),
    floats([0.5, 0.25]),
    int(2, 1),
    text('a'),
    int(2),
    text('bc'),
    ...tensors,
  ]);

const tensor = (name: string, type: number, sizes: number[], data: Uint8Array) =>
  Buffer.concat([int(sizes.length, name.length, type, ...sizes), text(name), data]);

const ramp = Array.from({ length: 64 }, (_, i) => (i < 32 ? (i - 16) / 16 : (i - 32) * 4));

describe('quantise', () => {
  test('a matrix becomes blocks of a scale and 32 bytes; all the rest stays as it is', () => {
    const bias = tensor('encoder.ln.bias', 0, [3], floats([1, 2, 3]));
    const places = tensor('decoder.positional_embedding', 1, [32, 2], halves(ramp));
    const filter = tensor('encoder.conv1.weight', 1, [4, 4, 4], halves(ramp));
    const matrix = tensor('decoder.mlp.weight', 1, [32, 2], halves(ramp));
    // A name of odd length puts what follows on an odd address.
    const last = tensor('encoder.mlp.0.weigh', 1, [32, 2], halves(ramp));

    const quantised = Buffer.from(quantise(file(1, bias, places, filter, matrix, last)));

    const blocks = ramp.length / 32;
    const expected = file(2007, bias, places, filter);
    expect(quantised.subarray(0, expected.length)).toEqual(expected);
    const newMatrix = quantised.subarray(expected.length);
    const header = tensor('decoder.mlp.weight', 8, [32, 2], new Uint8Array());
    expect(newMatrix.subarray(0, header.length)).toEqual(header);
    expect(valuesOf(newMatrix.subarray(header.length), blocks)).toEqual(near(ramp));
    const newLast = newMatrix.subarray(header.length + blocks * 34);
    const lastHeader = tensor('encoder.mlp.0.weigh', 8, [32, 2], new Uint8Array());
    expect(newLast.length).toBe(lastHeader.length + blocks * 34);
    expect(valuesOf(newLast.subarray(lastHeader.length), blocks)).toEqual(near(ramp));
  });

  test('zeros, the smallest and the largest numbers keep their size', () => {
    const numbers = [Array(32).fill(0), Array(32).fill(2 ** -24), Array(32).fill(-65_504)].flat();
    const quantised = Buffer.from(quantise(file(1, tensor('w', 1, [32, 3], halves(numbers)))));
    const values = valuesOf(quantised.subarray(quantised.length - 3 * 34), 3);
    expect(values.slice(0, 32)).toEqual(Array(32).fill(0));
    // The scale of so small numbers is itself too small for an F16.
    expect(values.slice(32, 64)).toEqual(Array(32).fill(0));
    for (const value of values.slice(64)) expect(value).toBeCloseTo(-65_504, -2);
  });

  test('a file of other numbers is refused', () => {
    expect(() => quantise(file(7))).toThrow('not a model of F16 numbers');
  });
});

/** As whisper.cpp reads them: scale times byte. */
function valuesOf(data: Buffer, blocks: number): number[] {
  const view = new DataView(data.buffer, data.byteOffset, blocks * 34);
  return Array.from({ length: blocks * 32 }, (_, i) => {
    const block = Math.floor(i / 32) * 34;
    return view.getFloat16(block, true) * view.getInt8(block + 2 + (i % 32));
  });
}

/** Within half a step of a block whose largest number has 127 steps. */
const near = (values: number[]) =>
  values.map((value, i) => {
    const block = values.slice(i - (i % 32), i - (i % 32) + 32);
    const step = Math.max(...block.map(Math.abs)) / 127;
    return expect.toSatisfy((other: number) => Math.abs(other - value) <= step * 0.51, `near ${value}`);
  });
