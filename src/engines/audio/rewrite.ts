import { notRead, oggPackets } from './sniff.ts';

/** Plain samples with what a WAV header needs to know of them. */
interface Samples {
  channels: number;
  sampleRate: number;
  bits: number;
  kind: 'whole' | 'float' | 'ulaw' | 'alaw';
  isLittleEndian: boolean;
  data: Uint8Array;
}

const tagAt = (file: Uint8Array, at: number) => Buffer.from(file.subarray(at, at + 4)).toString('latin1');
const viewOf = (file: Uint8Array) => new DataView(file.buffer, file.byteOffset, file.byteLength);

/** AIFF and AIFC (Apple, 1988 and 1991). */
export function aiffToWav(file: Uint8Array): Uint8Array {
  const view = viewOf(file);
  let common: { channels: number; bits: number; sampleRate: number; codec: string } | null = null;
  let data: Uint8Array | null = null;
  for (let at = 12; at + 8 <= file.length; ) {
    const [tag, size] = [tagAt(file, at), Math.min(view.getUint32(at + 4), file.length - at - 8)];
    if (tag === 'COMM' && size >= 18)
      common = {
        channels: view.getInt16(at + 8),
        bits: view.getInt16(at + 14),
        sampleRate: readExtended(view, at + 16),
        codec: size >= 22 ? tagAt(file, at + 26) : 'NONE',
      };
    // The samples begin after an offset, which is nearly always zero.
    if (tag === 'SSND' && size >= 8) data = file.subarray(at + 16 + view.getUint32(at + 8), at + 8 + size);
    at += 8 + size + (size & 1);
  }
  if (common === null || data === null) throw new Error('no format or no samples');
  const { channels, sampleRate, codec } = common;
  const plain = { channels, sampleRate, data, isLittleEndian: codec === 'sowt' };
  const bits = Math.ceil(common.bits / 8) * 8;
  if (['NONE', 'twos', 'sowt', 'in24', 'in32'].includes(codec))
    return toWav({ ...plain, bits, kind: 'whole' });
  if (['fl32', 'FL32', 'fl64', 'FL64'].includes(codec))
    return toWav({ ...plain, bits: Number(codec.slice(2)), kind: 'float' });
  if (['ulaw', 'ULAW', 'alaw', 'ALAW'].includes(codec))
    return toWav({ ...plain, bits: 8, kind: codec.toLowerCase() === 'ulaw' ? 'ulaw' : 'alaw' });
  throw notRead('AIFF', codec === 'ima4' ? 'ADPCM (ima4)' : `the codec "${codec.trim()}"`);
}

/** Core Audio Format (Apple, 2005). */
export function cafToWav(file: Uint8Array): Uint8Array {
  const view = viewOf(file);
  let samples: Omit<Samples, 'data'> | null = null;
  for (let at = 8; at + 12 <= file.length; ) {
    const [tag, start] = [tagAt(file, at), at + 12];
    const told = Number(view.getBigInt64(at + 4));
    const size = told < 0 ? file.length - start : Math.min(told, file.length - start);
    if (tag === 'desc' && size >= 32) samples = readCafDescription(file, start);
    if (tag === 'data' && samples !== null)
      return toWav({ ...samples, data: file.subarray(start + 4, start + size) });
    at = start + size;
  }
  throw new Error('no format or no samples');
}

function readCafDescription(file: Uint8Array, at: number): Omit<Samples, 'data'> {
  const view = viewOf(file);
  const codec = tagAt(file, at + 8);
  const flags = view.getUint32(at + 12);
  const shared = {
    sampleRate: Math.round(view.getFloat64(at)),
    channels: view.getUint32(at + 24),
    isLittleEndian: (flags & 2) !== 0,
  };
  const bits = Math.ceil(view.getUint32(at + 28) / 8) * 8;
  if (codec === 'lpcm') return { ...shared, bits, kind: (flags & 1) !== 0 ? 'float' : 'whole' };
  if (codec === 'ulaw' || codec === 'alaw') return { ...shared, bits: 8, kind: codec };
  const names: Record<string, string | undefined> = {
    alac: 'ALAC',
    'aac ': 'AAC',
    ima4: 'ADPCM (ima4)',
    opus: 'Opus',
  };
  throw notRead('CAF', names[codec] ?? `the codec "${codec.trim()}"`);
}

/** Ten bytes: sign and exponent in two, the number from its first bit in eight. */
function readExtended(view: DataView, at: number): number {
  const exponent = (view.getUint16(at) & 0x7f_ff) - 16_383 - 31;
  return Math.round(view.getUint32(at + 2) * 2 ** exponent);
}

const wavTags = { whole: 1, float: 3, alaw: 6, ulaw: 7 };

function toWav({ channels, sampleRate, bits, kind, isLittleEndian, data }: Samples): Uint8Array {
  const bytes = bits / 8;
  const frameBytes = bytes * channels;
  const length = frameBytes > 0 ? data.length - (data.length % frameBytes) : 0;
  const wav = Buffer.alloc(44 + length);
  wav.write('RIFF', 0, 'latin1');
  wav.writeUInt32LE(36 + length, 4);
  wav.write('WAVEfmt ', 8, 'latin1');
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(wavTags[kind], 20);
  wav.writeUInt16LE(channels, 22);
  wav.writeUInt32LE(sampleRate, 24);
  wav.writeUInt32LE(sampleRate * frameBytes, 28);
  wav.writeUInt16LE(frameBytes, 32);
  wav.writeUInt16LE(bits, 34);
  wav.write('data', 36, 'latin1');
  wav.writeUInt32LE(length, 40);
  wav.set(data.subarray(0, length), 44);
  // WAV has the lowest byte first, and eight bits without a sign.
  const samples = wav.subarray(44);
  if (bits === 8 && kind === 'whole') for (let i = 0; i < length; i++) samples[i] = (samples[i] ?? 0) ^ 0x80;
  if (!isLittleEndian) swapBytes(samples, bytes);
  return wav;
}

function swapBytes(samples: Buffer, bytes: number): void {
  if (bytes === 2) samples.swap16();
  if (bytes === 4) samples.swap32();
  if (bytes === 8) samples.swap64();
  if (bytes === 3)
    for (let at = 0; at < samples.length; at += 3) {
      const first = samples[at] ?? 0;
      samples[at] = samples[at + 2] ?? 0;
      samples[at + 2] = first;
    }
}

/** The packets are the blocks and frames of a FLAC file; the first has nine bytes more (RFC 9639, 10.1). */
export function unwrapFlac(file: Uint8Array): Uint8Array {
  const [first, ...rest] = oggPackets(file);
  if (!first) throw new Error('no packets');
  return Buffer.concat([first.subarray(9), ...rest]);
}
