import { pcmRate } from '../../src/domain/audio.ts';

const text = (value: string) => Buffer.from(value, 'latin1');

interface Numbers {
  bits: number;
  isLittleEndian?: boolean;
  isFloat?: boolean;
  codec?: string;
}

/** Samples as whole numbers with a sign, or as floats. */
function packed(pcm: Float32Array, { bits, isLittleEndian = false, isFloat = false }: Numbers): Buffer {
  const bytes = bits / 8;
  const packedBytes = Buffer.alloc(pcm.length * bytes);
  for (const [i, sample] of pcm.entries()) {
    const at = i * bytes;
    const whole = Math.max(
      -(2 ** (bits - 1)),
      Math.min(2 ** (bits - 1) - 1, Math.round(sample * 2 ** (bits - 1))),
    );
    if (isFloat && isLittleEndian) packedBytes.writeFloatLE(sample, at);
    else if (isFloat) packedBytes.writeFloatBE(sample, at);
    else if (isLittleEndian) packedBytes.writeIntLE(whole, at, bytes);
    else packedBytes.writeIntBE(whole, at, bytes);
  }
  return packedBytes;
}

function chunk(name: string, content: Buffer): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt32BE(content.length);
  return Buffer.concat([text(name), size, content, Buffer.alloc(content.length % 2)]);
}

/** AIFF, or AIFC where a codec is named. One channel at 16 kHz, which is 0x400cfa00… as a number of ten bytes. */
export function aiffOf(pcm: Float32Array, { bits, codec }: { bits: number; codec?: string }): Uint8Array {
  const common = Buffer.alloc(18);
  common.writeInt16BE(1, 0);
  common.writeUInt32BE(pcm.length, 2);
  common.writeInt16BE(bits, 6);
  text('\x40\x0c\xfa\0\0\0\0\0\0\0').copy(common, 8);
  const about = codec ? Buffer.concat([common, text(codec), text('\0\0')]) : common;
  const samples = packed(pcm, { bits, isLittleEndian: codec === 'sowt', isFloat: codec === 'fl32' });
  const chunks = [chunk('COMM', about), chunk('SSND', Buffer.concat([Buffer.alloc(8), samples]))];
  return chunk('FORM', Buffer.concat([text(codec ? 'AIFC' : 'AIFF'), ...chunks]));
}

/** One channel at 16 kHz. The size of the samples is not told, as while a recording is being written. */
export function cafOf(pcm: Float32Array, numbers: Numbers): Uint8Array {
  const { bits, isLittleEndian, isFloat, codec = 'lpcm' } = numbers;
  const about = Buffer.alloc(32);
  about.writeDoubleBE(pcmRate, 0);
  about.write(codec, 8, 'latin1');
  about.writeUInt32BE((isFloat ? 1 : 0) | (isLittleEndian ? 2 : 0), 12);
  about.writeUInt32BE(bits / 8, 16);
  about.writeUInt32BE(1, 20);
  about.writeUInt32BE(1, 24);
  about.writeUInt32BE(bits, 28);
  const sized = (name: string, size: bigint) => {
    const head = Buffer.alloc(12);
    head.write(name, 0, 'latin1');
    head.writeBigInt64BE(size, 4);
    return head;
  };
  return Buffer.concat([
    text('caff\0\x01\0\0'),
    sized('desc', 32n),
    about,
    sized('free', 4n),
    Buffer.alloc(4),
    sized('data', -1n),
    Buffer.alloc(4),
    packed(pcm, numbers),
  ]);
}

/** A WAV of a codec, one chunk after the other; its extra bytes are empty. */
export function wavWith(tag: number, data: Uint8Array, { channels = 1, blockBytes = 65 } = {}): Uint8Array {
  const format = Buffer.alloc(tag === 2 ? 50 : 20);
  format.writeUInt16LE(tag, 0);
  format.writeUInt16LE(channels, 2);
  format.writeUInt32LE(pcmRate, 4);
  format.writeUInt32LE(8_000, 8);
  format.writeUInt16LE(blockBytes, 12);
  format.writeUInt16LE(4, 14);
  format.writeUInt16LE(format.length - 18, 16);
  const samples =
    tag === 2
      ? ((blockBytes - 7 * channels) * 2) / channels + 2
      : ((blockBytes - 4 * channels) * 2) / channels + 1;
  format.writeUInt16LE(Math.max(0, samples), 18);
  if (tag === 2) {
    format.writeUInt16LE(7, 20);
    const pairs = [256, 0, 512, -256, 0, 0, 192, 64, 240, 0, 460, -208, 392, -232];
    for (const [i, value] of pairs.entries()) format.writeInt16LE(value, 22 + i * 2);
  }
  const sized = (name: string, content: Uint8Array) => {
    const size = Buffer.alloc(4);
    size.writeUInt32LE(content.length);
    return Buffer.concat([text(name), size, content, Buffer.alloc(content.length % 2)]);
  };
  return sized('RIFF', Buffer.concat([text('WAVE'), sized('fmt ', format), sized('data', data)]));
}

/** The WAV of files above 4 GiB: sizes are in a chunk of their own, and 0xffffffff elsewhere. */
export function rf64Of(pcm: Float32Array): Uint8Array {
  const samples = packed(pcm, { bits: 16, isLittleEndian: true });
  const sizes = Buffer.alloc(28);
  sizes.writeBigUInt64LE(BigInt(samples.length + 72), 0);
  sizes.writeBigUInt64LE(BigInt(samples.length), 8);
  sizes.writeBigUInt64LE(BigInt(pcm.length), 16);
  const format = Buffer.alloc(16);
  for (const [i, value] of [1, 1].entries()) format.writeUInt16LE(value, i * 2);
  format.writeUInt32LE(pcmRate, 4);
  format.writeUInt32LE(pcmRate * 2, 8);
  format.writeUInt16LE(2, 12);
  format.writeUInt16LE(16, 14);
  const head = (name: string, size: number) => {
    const bytes = Buffer.alloc(8);
    bytes.write(name, 0, 'latin1');
    bytes.writeUInt32LE(size, 4);
    return bytes;
  };
  return Buffer.concat([
    head('RF64', 0xff_ff_ff_ff),
    text('WAVE'),
    head('ds64', 28),
    sizes,
    head('fmt ', 16),
    format,
    head('data', 0xff_ff_ff_ff),
    samples,
  ]);
}
