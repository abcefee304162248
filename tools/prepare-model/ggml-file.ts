import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { readShape, type WhisperShape } from '../../src/engines/speech/whisper/shape.ts';
import { readNumbers, sizeInBytes } from './ggml-numbers.ts';

export interface WhisperFile {
  shape: WhisperShape;
  /** `mels` rows of 201 numbers: which frequencies make up each band. */
  filters: Float32Array;
  /** With a character for each byte, because they need not be UTF-8. The special ones after them are not in the file. */
  tokens: readonly string[];
  /** The numbers of a tensor, row by row, read when asked for. Raises where the file has none of that name. */
  tensor(name: string): Float32Array;
  close(): void;
}

interface Entry {
  type: number;
  count: number;
  dataStart: number;
}

const magic = 0x67_67_6d_6c;
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

/** A number, then each token as its length and its bytes. They are short: read in one go, with room to spare. */
function readTokens(file: number, start: number): { tokens: string[]; end: number } {
  const roomPerToken = 64;
  const lengthBytes = 4;
  const count = readAt(file, start, lengthBytes).getInt32(0, true);
  const view = readAt(file, start + lengthBytes, count * roomPerToken, { isShortAllowed: true });
  const bytes = Buffer.from(view.buffer);
  let at = 0;
  const tokens = Array.from({ length: count }, () => {
    const from = at + lengthBytes;
    at = from + view.getInt32(at, true);
    return bytes.toString('latin1', from, at);
  });
  return { tokens, end: start + lengthBytes + at };
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
