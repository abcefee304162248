import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readNumbers, sizeInBytes } from './ggml-numbers.ts';

/** Sizes of a Whisper model, in the order the file's header has them. */
export interface WhisperShape {
  vocabulary: number;
  audioContext: number;
  audioState: number;
  audioHeads: number;
  audioLayers: number;
  textContext: number;
  textState: number;
  textHeads: number;
  textLayers: number;
  mels: number;
}

export interface WhisperFile {
  shape: WhisperShape;
  /** `mels` rows of 201 numbers: which frequencies make up each band. */
  filters: Float32Array;
  /** The special ones after them are not in the file. */
  tokens: TokenList;
  /** The numbers of a tensor, row by row, read when asked for. Raises where the file has none of that name. */
  tensor(name: string): Float32Array;
  close(): void;
}

/** All tokens in one piece: as 50,000 arrays of a few bytes each they took 40 ms more to read. */
export interface TokenList {
  count: number;
  /** Empty where there is no such token. */
  bytesOf(token: number): Uint8Array;
}

interface Entry {
  type: number;
  count: number;
  dataStart: number;
}

const magic = 0x67_67_6d_6c;
/** The mark and the sizes; a number that tells how the weights are packed comes after them. */
export const shapeBytes = 44;
const headerBytes = 48;

/** Reads a Whisper model in GGML's format. Only the list of tensors is held; their numbers stay in the file. */
export function openWhisperFile(path: string): WhisperFile {
  const file = openSync(path, 'r');
  try {
    const head = readAt(file, 0, headerBytes);
    if (head.getUint32(0, true) !== magic) throw new Error(`${path} is not a GGML model`);
    const shape = readShape(head);
    const filterHead = readAt(file, headerBytes, 8);
    const filterCount = filterHead.getInt32(0, true) * filterHead.getInt32(4, true);
    const filtersStart = headerBytes + 8;
    const filters = readNumbers(0, bytesAt(file, filtersStart, filterCount * 4), filterCount);
    const { tokens, end } = readTokens(file, filtersStart + filterCount * 4);
    const tensors = readEntries(file, end);
    return {
      shape,
      filters,
      tokens,
      tensor(name) {
        const entry = tensors.get(name);
        if (!entry) throw new Error(`${path} has no ${name}: it is no Whisper model, or a damaged one`);
        const { type, count, dataStart } = entry;
        return readNumbers(type, bytesAt(file, dataStart, sizeInBytes(type, count)), count);
      },
      close: () => closeSync(file),
    };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

export function readShape(head: DataView): WhisperShape {
  const at = (index: number) => head.getInt32(4 + index * 4, true);
  return {
    vocabulary: at(0),
    audioContext: at(1),
    audioState: at(2),
    audioHeads: at(3),
    audioLayers: at(4),
    textContext: at(5),
    textState: at(6),
    textHeads: at(7),
    textLayers: at(8),
    mels: at(9),
  };
}

/** A number, then each token as its length and its bytes. They are short: read in one go, with room to spare. */
function readTokens(file: number, start: number): { tokens: TokenList; end: number } {
  const roomPerToken = 64;
  const lengthBytes = 4;
  const count = readAt(file, start, lengthBytes).getInt32(0, true);
  const view = readAt(file, start + lengthBytes, count * roomPerToken, { isShortAllowed: true });
  const starts = new Uint32Array(count + 1);
  let at = lengthBytes;
  for (let i = 0; i < count; i++) {
    starts[i] = at;
    at += view.getInt32(at - lengthBytes, true) + lengthBytes;
  }
  starts[count] = at;
  const bytes = new Uint8Array(view.buffer, 0, at - lengthBytes).slice();
  return {
    tokens: {
      count,
      bytesOf: (token) =>
        bytes.subarray(starts[token] ?? 0, Math.max(0, (starts[token + 1] ?? 0) - lengthBytes)),
    },
    end: start + at,
  };
}

/** Each: dimensions, length of the name, type; the size of each dimension; the name; the numbers. */
function readEntries(file: number, from: number): Map<string, Entry> {
  const headRoom = 12 + 4 * 4 + 128;
  const fileBytes = fstatSync(file).size;
  const entries = new Map<string, Entry>();
  for (let start = from; ; ) {
    const view = readAt(file, start, headRoom, { isShortAllowed: true });
    if (view.byteLength < 12) return entries;
    const [dimensions, nameBytes, type] = [0, 4, 8].map((at) => view.getInt32(at, true)) as [
      number,
      number,
      number,
    ];
    let count = 1;
    for (let i = 0; i < dimensions; i++) count *= view.getInt32(12 + i * 4, true);
    const nameStart = 12 + dimensions * 4;
    const name = new TextDecoder().decode(new Uint8Array(view.buffer, nameStart, nameBytes));
    const dataStart = start + nameStart + nameBytes;
    entries.set(name, { type, count, dataStart });
    start = dataStart + sizeInBytes(type, count);
    if (start > fileBytes) throw new Error('the model file ends too early');
  }
}

function readAt(file: number, at: number, length: number, { isShortAllowed = false } = {}): DataView {
  const bytes = new Uint8Array(length);
  const got = readSync(file, bytes, 0, length, at);
  if (got < length && !isShortAllowed) throw new Error('the model file ends too early');
  return new DataView(bytes.buffer, 0, got);
}

function bytesAt(file: number, at: number, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  for (let done = 0; done < length; ) {
    const got = readSync(file, bytes, done, Math.min(length - done, 2 ** 30), at + done);
    if (got === 0) throw new Error('the model file ends too early');
    done += got;
  }
  return bytes;
}
