/** Types of numbers in a GGML file. */
const f16 = 1;
const q8 = 8;
/** A block of Q8_0: one scale as F16, then 32 numbers of one byte. */
const blockLength = 32;
const blockBytes = 2 + blockLength;
/** The second version of the quantised formats, mostly Q8_0. */
const q8FileType = 2007;

/** Matrices that whisper.cpp reads in full precision whatever the file's type. */
const keptWhole = new Set(['encoder.positional_embedding', 'decoder.positional_embedding']);

interface Tensor {
  /** Where its header, its numbers and the next tensor begin. */
  start: number;
  dataStart: number;
  end: number;
  isQuantised: boolean;
}

/**
 * Turns the matrices of a Whisper model from F16 into Q8_0, as `quantize` of whisper.cpp does. Recognition takes a third
 * less time and 66 MB less memory (docs/decisions/0010-speech-engine.md). This takes a second at each load; a second
 * file could go stale.
 */
export function quantise(file: Uint8Array): Uint8Array<ArrayBuffer> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const { typeAt, tensorsAt } = readHead(view);
  const tensors = readTensors(file, view, tensorsAt);
  const quantised = new Uint8Array(tensors.reduce((sum, tensor) => sum + newBytes(tensor), tensorsAt));
  const written = new DataView(quantised.buffer);
  quantised.set(file.subarray(0, tensorsAt));
  written.setInt32(typeAt, q8FileType, true);
  let at = tensorsAt;
  for (const tensor of tensors) {
    const { start, dataStart, end, isQuantised } = tensor;
    quantised.set(file.subarray(start, isQuantised ? dataStart : end), at);
    if (isQuantised) {
      written.setInt32(at + 8, q8, true);
      writeBlocks(file.subarray(dataStart, end), written, at + dataStart - start);
    }
    at += newBytes(tensor);
  }
  return quantised;
}

const newBytes = ({ start, dataStart, end, isQuantised }: Tensor) =>
  dataStart - start + (isQuantised ? ((end - dataStart) / 2 / blockLength) * blockBytes : end - dataStart);

/** Magic and eleven numbers, the last of them the type; the mel filters; the vocabulary. */
function readHead(view: DataView): { typeAt: number; tensorsAt: number } {
  const typeAt = 44;
  if (view.getInt32(typeAt, true) !== f16) throw new Error('not a model of F16 numbers');
  const filters = view.getInt32(48, true) * view.getInt32(52, true);
  let at = 56 + filters * 4;
  const words = view.getInt32(at, true);
  at += 4;
  for (let word = 0; word < words; word++) at += 4 + view.getInt32(at, true);
  return { typeAt, tensorsAt: at };
}

/** Each: dimensions, length of the name, type; the size of each dimension; the name; the numbers. */
function readTensors(file: Uint8Array, view: DataView, from: number): Tensor[] {
  const tensors: Tensor[] = [];
  for (let start = from; start < file.byteLength; start = tensors.at(-1)?.end ?? file.byteLength) {
    const [dimensions, nameBytes, type] = [0, 4, 8].map((offset) => view.getInt32(start + offset, true));
    const sizes = Array.from({ length: dimensions ?? 0 }, (_, i) => view.getInt32(start + 12 + i * 4, true));
    const nameStart = start + 12 + sizes.length * 4;
    const dataStart = nameStart + (nameBytes ?? 0);
    const name = new TextDecoder().decode(file.subarray(nameStart, dataStart));
    const end = dataStart + sizes.reduce((product, size) => product * size, type === f16 ? 2 : 4);
    tensors.push({
      start,
      dataStart,
      end,
      isQuantised: type === f16 && dimensions === 2 && !keptWhole.has(name),
    });
  }
  return tensors;
}

function writeBlocks(numbers: Uint8Array, out: DataView<ArrayBuffer>, from: number): void {
  const bytes = new Int8Array(out.buffer);
  const bits = new Int32Array(blockLength);
  const scaled = new Float32Array(bits.buffer);
  let at = from;
  for (let start = 0; start < numbers.length; start += 2 * blockLength) {
    let largest = 0;
    for (let i = 0; i < blockLength; i++) {
      const [low, high] = [start + 2 * i, start + 2 * i + 1];
      const half = (numbers[low] as number) | ((numbers[high] as number) << 8);
      // The bits of an F16 in their places of an F32 are the number times 2 ** -112.
      bits[i] = ((half & 0x80_00) << 16) | ((half & 0x7f_ff) << 13);
      largest = Math.max(largest, Math.abs(scaled[i] as number));
    }
    const scale = largest / 127;
    const perScale = scale === 0 ? 0 : 1 / scale;
    out.setFloat16(at, scale * 2 ** 112, true);
    // Adding and taking 128 rounds, in half the time of Math.round.
    for (let i = 0; i < blockLength; i++)
      bytes[at + 2 + i] = (((scaled[i] as number) * perScale + 128.5) | 0) - 128;
    at += blockBytes;
  }
}
