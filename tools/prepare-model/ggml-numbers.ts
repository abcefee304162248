/** How GGML packs numbers: so many in a block of so many bytes. */
interface Packing {
  blockLength: number;
  blockBytes: number;
  /** Writes the numbers of the block that begins at `at`. */
  unpack(view: DataView, at: number, out: Float32Array, from: number): void;
}

const blockLength = 32;

/** The types of ggml.h that Whisper files are published in. */
const packings: Record<number, Packing | undefined> = {
  // Q4_0 and Q4_1: half bytes, the low halves first; Q5: a fifth bit for each of the 32 numbers in four bytes.
  2: packed({ blockBytes: 18, bits: 4, hasLeast: false }),
  3: packed({ blockBytes: 20, bits: 4, hasLeast: true }),
  6: packed({ blockBytes: 22, bits: 5, hasLeast: false }),
  7: packed({ blockBytes: 24, bits: 5, hasLeast: true }),
  // Q8_0
  8: {
    blockLength,
    blockBytes: 34,
    unpack: (view, at, out, from) => {
      const scale = view.getFloat16(at, true);
      for (let i = 0; i < blockLength; i++) out[from + i] = scale * view.getInt8(at + 2 + i);
    },
  },
};

/** A scale, the least number or none (then zero is in the middle), the fifth bits or none, the half bytes. */
function packed({
  blockBytes,
  bits,
  hasLeast,
}: {
  blockBytes: number;
  bits: 4 | 5;
  hasLeast: boolean;
}): Packing {
  const half = blockLength / 2;
  const middle = 2 ** (bits - 1);
  return {
    blockLength,
    blockBytes,
    unpack(view, at, out, from) {
      const scale = view.getFloat16(at, true);
      const least = hasLeast ? view.getFloat16(at + 2, true) : -middle * scale;
      const highBits = bits === 5 ? view.getUint32(at + (hasLeast ? 4 : 2), true) : 0;
      const halvesAt = at + blockBytes - half;
      for (let i = 0; i < blockLength; i++) {
        const byte = view.getUint8(halvesAt + (i % half));
        const low = i < half ? byte & 15 : byte >> 4;
        out[from + i] = (low | (((highBits >>> i) & 1) << 4)) * scale + least;
      }
    },
  };
}

function packingOf(type: number): Packing {
  const packing = packings[type];
  if (!packing)
    throw new Error(
      `its numbers are of GGML's type ${type}; Steno reads F32, F16, Q4_0, Q4_1, Q5_0, Q5_1 and Q8_0`,
    );
  return packing;
}

/** Numbers that stand alone: F32 and F16. */
const plain: Record<number, typeof Float32Array | typeof Float16Array | undefined> = {
  0: Float32Array,
  1: Float16Array,
};

export function sizeInBytes(type: number, count: number): number {
  const array = plain[type];
  if (array) return count * array.BYTES_PER_ELEMENT;
  const { blockLength: length, blockBytes } = packingOf(type);
  return (count / length) * blockBytes;
}

export function readNumbers(type: number, bytes: Uint8Array<ArrayBuffer>, count: number): Float32Array {
  const array = plain[type];
  if (array) return new Float32Array(new array(bytes.buffer, bytes.byteOffset, count));
  const { blockLength: length, blockBytes, unpack } = packingOf(type);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const numbers = new Float32Array(count);
  for (let block = 0; block * length < count; block++)
    unpack(view, block * blockBytes, numbers, block * length);
  return numbers;
}
