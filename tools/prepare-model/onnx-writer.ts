/** Types of numbers in an ONNX file. */
export const onnx = { float: 1, uint8: 2, int8: 3, int64: 7, float16: 10 } as const;
type NumberType = (typeof onnx)[keyof typeof onnx];

type Attribute = number | string | readonly number[];
/** A number is the size, a text names one that is only known when the graph runs. */
type Dimension = number | string;

export interface Constant {
  type: NumberType;
  dims: readonly number[];
  bytes: Uint8Array;
}

/** Where the constants of graphs go: one file for all of them, beside the graphs. */
export interface WeightsSink {
  /** The file's name, as the graphs refer to it. */
  readonly location: string;
  /** Returns the offset at which the bytes were put. */
  append(bytes: Uint8Array): number;
}

export interface NodeOptions {
  domain?: string;
  outputs?: number;
  attributes?: Record<string, Attribute>;
}

export interface Graph {
  input(name: string, type: NumberType, dims: readonly Dimension[]): string;
  output(value: string, name: string, type: NumberType, dims: readonly Dimension[]): void;
  constant(constant: Constant): string;
  /** One operation; returns the name of its first or only output. An input '' is one left out. */
  op(type: string, inputs: readonly string[], options?: NodeOptions): string;
  /** The same for an operation with several outputs. */
  ops(type: string, inputs: readonly string[], outputs: number, options?: NodeOptions): string[];
  toBytes(): Uint8Array;
}

/** Below this a constant stands in the graph itself: shapes and axes are looked at before the weights are loaded. */
const smallBytes = 1024;

/**
 * Collects a graph and writes it as an ONNX file: protobuf, by hand, since the few messages it takes need no library.
 * The numbers in the calls of `field` are those of onnx.proto.
 */
export function createGraph(name: string, sink: WeightsSink): Graph {
  const parts: Uint8Array[] = [];
  let count = 0;
  const fresh = () => `v${count++}`;
  const node = (type: string, inputs: readonly string[], outputs: string[], options: NodeOptions) =>
    parts.push(
      field(
        1,
        message(
          ...inputs.map((input) => field(1, text(input))),
          ...outputs.map((output) => field(2, text(output))),
          field(4, text(type)),
          ...Object.entries(options.attributes ?? {}).map(([key, value]) => field(5, attribute(key, value))),
          field(7, text(options.domain ?? '')),
        ),
      ),
    );

  return {
    input(input, type, dims) {
      parts.push(field(11, valueInfo(input, type, dims)));
      return input;
    },
    output(value, output, type, dims) {
      node('Identity', [value], [output], {});
      parts.push(field(12, valueInfo(output, type, dims)));
    },
    constant(constant) {
      const initialiser = fresh();
      parts.push(field(5, tensor(initialiser, constant, sink)));
      return initialiser;
    },
    op(type, inputs, options = {}) {
      const output = fresh();
      node(type, inputs, [output], options);
      return output;
    },
    ops(type, inputs, outputs, options = {}) {
      const names = Array.from({ length: outputs }, fresh);
      node(type, inputs, names, options);
      return names;
    },
    toBytes: () =>
      message(
        field(1, 10),
        field(2, text('steno')),
        field(7, message(...parts, field(2, text(name)))),
        field(8, message(field(1, text('')), field(2, 20))),
        field(8, message(field(1, text('com.microsoft')), field(2, 1))),
      ),
  };
}

export const floats = (dims: readonly number[], values: Float32Array | readonly number[]): Constant => {
  const numbers = values instanceof Float32Array ? values : Float32Array.from(values);
  return {
    type: onnx.float,
    dims,
    bytes: new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength),
  };
};

export const integers = (values: readonly number[], dims: readonly number[] = [values.length]): Constant => ({
  type: onnx.int64,
  dims,
  bytes: new Uint8Array(BigInt64Array.from(values, BigInt).buffer),
});

function tensor(name: string, { type, dims, bytes }: Constant, sink: WeightsSink): Uint8Array {
  const head = [...dims.map((size) => field(1, size)), field(2, type), field(8, text(name))];
  if (bytes.length < smallBytes) return message(...head, field(9, bytes));
  const place = { location: sink.location, offset: sink.append(bytes), length: bytes.length };
  const entries = Object.entries(place).map(([key, value]) =>
    field(13, message(field(1, text(key)), field(2, text(String(value))))),
  );
  return message(...head, ...entries, field(14, 1));
}

function attribute(name: string, value: Attribute): Uint8Array {
  const isWhole = typeof value === 'number' && Number.isInteger(value);
  if (isWhole) return message(field(1, text(name)), field(3, value), field(20, 2));
  if (typeof value === 'number') return message(field(1, text(name)), float(2, value), field(20, 1));
  if (typeof value === 'string') return message(field(1, text(name)), field(4, text(value)), field(20, 3));
  return message(field(1, text(name)), ...value.map((number) => field(8, number)), field(20, 7));
}

function valueInfo(name: string, type: NumberType, dims: readonly Dimension[]): Uint8Array {
  const shape = dims.map((dim) =>
    field(1, message(typeof dim === 'number' ? field(1, dim) : field(2, text(dim)))),
  );
  return message(
    field(1, text(name)),
    field(2, message(field(1, message(field(1, type), field(2, message(...shape)))))),
  );
}

const text = (value: string) => new TextEncoder().encode(value);
const message = (...fields: Uint8Array[]): Uint8Array => Buffer.concat(fields);

/** A whole number (wire type 0) or bytes with their length before them (2). */
function field(number: number, value: number | Uint8Array): Uint8Array {
  if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)]);
  return Buffer.concat([varint((number << 3) | 2), varint(value.length), value]);
}

function float(number: number, value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([varint((number << 3) | 5), bytes]);
}

/** Seven bits in a byte, the lowest first; a negative number takes all 64 bits. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}
