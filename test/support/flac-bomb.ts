/** A FLAC of silence: 15 bytes for each block of 65,535 samples, and a header that claims one block. */
export function flacBomb(blocks: number): Uint8Array {
  const frames = Array.from({ length: blocks }, (_, i) => frame(i));
  return Buffer.concat([Buffer.from('fLaC'), streamInfo(), ...frames]);
}

const blockSize = 65_535;
const rate = 48_000;

function streamInfo(): Buffer {
  const info = Buffer.alloc(4 + 34);
  info[0] = 0x80;
  info[3] = 34;
  info.writeUInt16BE(blockSize, 4);
  info.writeUInt16BE(blockSize, 6);
  // 20 bits of rate, 3 of channels − 1, 5 of bits − 1, 36 of samples.
  info.writeBigUInt64BE((BigInt(rate) << 44n) | (15n << 36n) | BigInt(blockSize), 14);
  return info;
}

function frame(number: number): Buffer {
  const header = Buffer.from([
    0xff,
    0xf8,
    0x70,
    0x08,
    ...utf8Number(number),
    blockSize >> 8,
    (blockSize - 1) & 255,
  ]);
  const body = Buffer.concat([header, Buffer.from([crc(header, 8, 0x07), 0, 0, 0])]);
  const check = crc(body, 16, 0x8005);
  return Buffer.concat([body, Buffer.from([check >> 8, check & 255])]);
}

const utf8Number = (number: number): Buffer => Buffer.from(String.fromCodePoint(number % 0xd7ff), 'utf8');

function crc(bytes: Buffer, width: 8 | 16, polynomial: number): number {
  const top = 1 << (width - 1);
  const mask = (1 << width) - 1;
  let value = 0;
  for (const byte of bytes) {
    value ^= byte << (width - 8);
    for (let bit = 0; bit < 8; bit++) value = (value & top ? (value << 1) ^ polynomial : value << 1) & mask;
  }
  return value;
}
