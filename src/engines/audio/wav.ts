import { mixDown } from './samples.ts';

/** What the chunks of a RIFF file say of the samples in it. */
export interface WavFile {
  /** 1 for plain samples; the other numbers are from Microsoft's mmreg.h. */
  formatTag: number;
  channels: number;
  sampleRate: number;
  blockBytes: number;
  /** The format chunk, with what the codec adds to it. */
  format: DataView;
  data: Uint8Array;
  /** From the chunk `fact`; null where there is none, or it says nothing. */
  samples: number | null;
}

const extensible = 0xff_fe;

/** Null when it is not a WAV file, or one without a format or samples. Sizes that lie end where the file does. */
export function readWav(file: Uint8Array): WavFile | null {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const tag = (at: number) => Buffer.from(file.subarray(at, at + 4)).toString('latin1');
  if (file.length < 12 || tag(0) !== 'RIFF' || tag(8) !== 'WAVE') return null;
  let format: DataView | null = null;
  let samples: number | null = null;
  for (let at = 12; at + 8 <= file.length; ) {
    const size = Math.min(view.getUint32(at + 4, true), file.length - at - 8);
    const content = new DataView(file.buffer, file.byteOffset + at + 8, size);
    if (tag(at) === 'fmt ' && size >= 16) format = content;
    if (tag(at) === 'fact' && size >= 4) samples = content.getUint32(0, true) || null;
    if (tag(at) === 'data' && format !== null) {
      const said = format.getUint16(0, true);
      return {
        formatTag: said === extensible && format.byteLength >= 26 ? format.getUint16(24, true) : said,
        channels: format.getUint16(2, true),
        sampleRate: format.getUint32(4, true),
        blockBytes: format.getUint16(12, true),
        format,
        data: file.subarray(at + 8, at + 8 + size),
        samples,
      };
    }
    at += 8 + size + (size & 1);
  }
  return null;
}

/** Microsoft's and Intel's (IMA) four bits a sample, in WAV: what telephone recorders and dictation machines write. */
export const adpcmTags = { microsoft: 2, ima: 0x11 } as const;

/** Of each block. */
export const adpcmHeadBytes = ({ formatTag, channels }: WavFile) =>
  channels * (formatTag === adpcmTags.ima ? 4 : 7);

/** Blocks stand alone, so nothing but one block is in memory. Each is given as one channel. */
export function* decodeAdpcm(wav: WavFile): Generator<Float32Array> {
  const { blockBytes, channels, data } = wav;
  const decodeBlock = wav.formatTag === adpcmTags.ima ? imaBlock : microsoftBlock(readCoefficients(wav));
  const headBytes = adpcmHeadBytes(wav);
  let left = wav.samples ?? Number.POSITIVE_INFINITY;
  for (let at = 0; at + headBytes < data.length && left > 0; at += blockBytes) {
    const block = data.subarray(at, at + blockBytes);
    const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
    const decoded = decodeBlock(view, channels);
    const isLast = at + blockBytes >= data.length;
    const length = Math.min(isLast ? audioLength(decoded) : (decoded[0]?.length ?? 0), left);
    left -= length;
    yield mixDown(decoded, length).map((sample) => sample / 32_768);
  }
}

/** An encoder fills its last block with silence, and the chunk `fact` often counts that too. */
const quietest = 16;
const audioLength = (channels: readonly Float32Array[]) =>
  1 + Math.max(...channels.map((samples) => samples.findLastIndex((sample) => Math.abs(sample) > quietest)));

const clamp = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));
const toSample = (value: number) => clamp(value, -32_768, 32_767);

// biome-ignore format: a table
const imaSteps = [
  7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107, 118,
  130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963, 1060,
  1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132,
  7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
];
const imaIndexChanges = [-1, -1, -1, -1, 2, 4, 6, 8];

/** For each channel a first sample and a place in the table; then four bytes for each channel in turn, low half first. */
function imaBlock(block: DataView, channels: number): Float32Array[] {
  const words = Math.floor((block.byteLength - 4 * channels) / (4 * channels));
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(1 + words * 8);
    let value = block.getInt16(channel * 4, true);
    let index = clamp(block.getUint8(channel * 4 + 2), 0, 88);
    samples[0] = value;
    for (let i = 0; i < words * 8; i++) {
      const byteAt = 4 * channels + (Math.floor(i / 8) * channels + channel) * 4 + Math.floor((i % 8) / 2);
      const nibble = (block.getUint8(byteAt) >> (i % 2 === 0 ? 0 : 4)) & 15;
      const step = imaSteps[index] ?? 0;
      const size = ((2 * (nibble & 7) + 1) * step) >> 3;
      value = toSample(nibble & 8 ? value - size : value + size);
      index = clamp(index + (imaIndexChanges[nibble & 7] ?? 0), 0, 88);
      samples[i + 1] = value;
    }
    return samples;
  });
}

const microsoftChanges = [230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230, 230, 230];
type Coefficients = readonly (readonly [number, number])[];
const usualCoefficients: Coefficients = [
  [256, 0],
  [512, -256],
  [0, 0],
  [192, 64],
  [240, 0],
  [460, -208],
  [392, -232],
];

function readCoefficients({ format }: WavFile): Coefficients {
  const count = format.byteLength >= 22 ? format.getUint16(20, true) : 0;
  if (count === 0 || format.byteLength < 22 + count * 4) return usualCoefficients;
  return Array.from({ length: count }, (_, i) => [
    format.getInt16(22 + i * 4, true),
    format.getInt16(24 + i * 4, true),
  ]);
}

/** Each sample is guessed from the two before it. High half first, the channels in turn. */
const microsoftBlock =
  (coefficients: Coefficients) =>
  (block: DataView, channels: number): Float32Array[] => {
    const headBytes = 7 * channels;
    const perChannel = 2 + Math.floor(((block.byteLength - headBytes) * 2) / channels);
    return Array.from({ length: channels }, (_, channel) => {
      const samples = new Float32Array(perChannel);
      const [first, second] = coefficients[block.getUint8(channel)] ?? [256, 0];
      let delta = block.getInt16(channels + channel * 2, true);
      let [newer, older] = [3, 5].map((at) => block.getInt16(at * channels + channel * 2, true)) as [
        number,
        number,
      ];
      samples.set([older, newer]);
      for (let i = 2; i < perChannel; i++) {
        const place = (i - 2) * channels + channel;
        const nibble = (block.getUint8(headBytes + (place >> 1)) >> (place % 2 === 0 ? 4 : 0)) & 15;
        const guess = (newer * first + older * second) >> 8;
        older = newer;
        newer = toSample(guess + (nibble & 8 ? nibble - 16 : nibble) * delta);
        delta = Math.max(16, ((microsoftChanges[nibble] ?? 230) * delta) >> 8);
        samples[i] = newer;
      }
      return samples;
    });
  };
