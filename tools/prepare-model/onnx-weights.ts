import { readFileSync } from 'node:fs';

/** The weights of a graph in ONNX's format, eight bits each, as the usual tool quantises them. */
export interface OnnxWeights {
  /** The numbers of a tensor by its name. Raises where there is none. */
  tensor(name: string): Float32Array;
  /** The matrix of a layer by the layer's name, with a row for each output. */
  matrix(layer: string): Float32Array;
}

interface Stored {
  dims: number[];
  type: number;
  values: Buffer;
}

/** One field of a protobuf message: a number, or bytes. */
type Field = [number: number, value: number | Buffer];

/** The decoder's file holds two graphs that share their weights, which then have this in their names. */
const sharedMark = '_merged_0';
const uint8Type = 2;

/** The numbers of fields are those of onnx.proto. */
export function readOnnxWeights(path: string): OnnxWeights {
  const stored = new Map<string, Stored>();
  const matrixOf = new Map<string, string>();

  function readGraph(graph: Buffer): void {
    for (const [field, value] of fieldsOf(graph)) {
      if (typeof value === 'number') continue;
      if (field === 5) readTensor(value);
      if (field === 1) readNode(value);
    }
  }

  function readTensor(tensor: Buffer): void {
    const found: Stored = { dims: [], type: 0, values: Buffer.alloc(1) };
    let name = '';
    for (const [field, value] of fieldsOf(tensor)) {
      if (field === 1 && typeof value === 'number') found.dims.push(value);
      if (field === 2 && typeof value === 'number') found.type = value;
      // Floats, whole numbers, or either as they are in memory. Of a whole number of eight bits the first byte is all there is.
      if ((field === 4 || field === 5 || field === 9) && typeof value !== 'number') found.values = value;
      if (field === 8) name = String(value);
    }
    stored.set(name.replace(sharedMark, ''), found);
  }

  function readNode(node: Buffer): void {
    const inputs: string[] = [];
    let [name, type] = ['', ''];
    for (const [field, value] of fieldsOf(node)) {
      if (field === 1) inputs.push(String(value));
      if (field === 3) name = String(value);
      if (field === 4) type = String(value);
      // An attribute, in which there may be a graph.
      if (field === 5 && typeof value !== 'number')
        for (const [part, graph] of fieldsOf(value))
          if (part === 6 && typeof graph !== 'number') readGraph(graph);
    }
    if (type !== 'MatMulInteger') return;
    const layer = name.replace('/MatMul_quant', '').slice(1).replaceAll('/', '.');
    matrixOf.set(layer, (inputs[1] ?? '').replace(sharedMark, '').replace(/_quantized$/, ''));
  }

  function need(name: string): Stored {
    const found = stored.get(name);
    if (!found) throw new Error(`${path} has no ${name}: it is no Whisper model, or a damaged one`);
    return found;
  }

  function tensor(name: string): Float32Array {
    const plain = stored.get(name);
    if (plain) return floatsOf(plain.values);
    const { values, type } = need(`${name}_quantized`);
    const scale = floatsOf(need(`${name}_scale`).values)[0] ?? 0;
    const read = (bytes: Buffer) => (type === uint8Type ? bytes : new Int8Array(bytes));
    const [numbers, [middle = 0]] = [read(values), read(need(`${name}_zero_point`).values)];
    const floats = new Float32Array(numbers.length);
    // A loop: Float32Array.from took four times as long.
    for (let i = 0; i < numbers.length; i++) floats[i] = scale * ((numbers[i] as number) - middle);
    return floats;
  }

  for (const [field, value] of fieldsOf(readFileSync(path)))
    if (field === 7 && typeof value !== 'number') readGraph(value);

  return {
    tensor,
    matrix(layer) {
      const name = matrixOf.get(layer) ?? layer;
      const [inputs = 0, outputs = 0] = need(`${name}_quantized`).dims;
      return transposed(tensor(name), inputs, outputs);
    },
  };
}

/** In a buffer of their own, because numbers must begin at a multiple of their size. */
const floatsOf = (bytes: Buffer) => new Float32Array(new Uint8Array(bytes).buffer);

function transposed(values: Float32Array, rows: number, columns: number): Float32Array {
  const out = new Float32Array(values.length);
  // In strips that the caches hold.
  const width = 64;
  for (let from = 0; from < columns; from += width)
    for (let row = 0; row < rows; row++)
      for (let column = from; column < Math.min(from + width, columns); column++)
        out[column * rows + row] = values[row * columns + column] as number;
  return out;
}

function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0;
  const varint = () => {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = message[at++];
      if (byte === undefined) throw new Error('the model file ends too early');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  while (at < message.length) {
    const key = varint();
    const [number, wire] = [Math.floor(key / 8), key % 8];
    if (wire === 0) {
      yield [number, varint()];
      continue;
    }
    const length = wire === 2 ? varint() : wire === 5 ? 4 : 8;
    if (at + length > message.length) throw new Error('the model file ends too early');
    yield [number, message.subarray(at, at + length)];
    at += length;
  }
}
