import type { AudioContainer } from '../../domain/audio.ts';
import { BadAudio } from '../../domain/speech-errors.ts';

/** The container, by the first bytes alone; null for anything we do not read. */
export function sniffAudio(file: Uint8Array): AudioContainer | null {
  const at = skipId3(file);
  const tag = (offset: number, length = 4) => latin1(file, at + offset, length);
  if (['RIFF', 'RF64', 'RIFX'].includes(tag(0)) && tag(8) === 'WAVE') return 'wav';
  if (tag(0) === 'FORM' && ['AIFF', 'AIFC'].includes(tag(8))) return 'aiff';
  if (tag(0) === 'caff') return 'caf';
  if (tag(0) === 'fLaC') return 'flac';
  if (tag(0) === 'OggS') return 'ogg';
  if (file[at] === 0x1a && tag(1, 3) === 'E\xdf\xa3') return 'webm';
  // ISO base media starts with `ftyp`; older QuickTime may begin with any of the others.
  if (['ftyp', 'moov', 'mdat', 'wide', 'skip', 'free', 'styp'].includes(tag(4))) return 'mp4';
  return sniffFrames(file, at);
}

/** MP3 and raw AAC have no header. A frame that gives the place where the next one really begins is proof enough. */
function sniffFrames(file: Uint8Array, start: number): AudioContainer | null {
  const searchBytes = 4096;
  for (let at = start; at < Math.min(file.length - 8, start + searchBytes); at++) {
    if (file[at] !== 0xff) continue;
    const mp3 = mp3FrameLength(file, at);
    if (mp3 > 0 && mp3FrameLength(file, at + mp3) > 0) return 'mp3';
    const aac = adtsFrameLength(file, at);
    if (aac > 0 && adtsFrameLength(file, at + aac) > 0) return 'aac';
  }
  return null;
}

const byte = (file: Uint8Array, at: number) => file[at] ?? 0;

const latin1 = (file: Uint8Array, at: number, length: number) =>
  String.fromCharCode(...file.subarray(at, at + length));

/** Tags may come before MP3, AAC and FLAC. Their length is four bytes of seven bits each. */
export function skipId3(file: Uint8Array): number {
  if (latin1(file, 0, 3) !== 'ID3') return 0;
  const size = (byte(file, 6) << 21) | (byte(file, 7) << 14) | (byte(file, 8) << 7) | byte(file, 9);
  return 10 + size;
}

const mpeg1KbitPerSecond = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const mpeg2KbitPerSecond = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const mpeg1Rates = [44_100, 48_000, 32_000];

/** The length of the Layer III frame at this place; 0 when there is none (ISO 11172-3, 2.4.1.3). */
function mp3FrameLength(file: Uint8Array, at: number): number {
  const [b1, b2] = [byte(file, at + 1), byte(file, at + 2)];
  const version = (b1 >> 3) & 3;
  const isLayer3 = ((b1 >> 1) & 3) === 1;
  if (byte(file, at) !== 0xff || b1 >> 5 !== 7 || version === 1 || !isLayer3) return 0;
  const isMpeg1 = version === 3;
  const kbit = (isMpeg1 ? mpeg1KbitPerSecond : mpeg2KbitPerSecond)[b2 >> 4] ?? 0;
  const rate = (mpeg1Rates[(b2 >> 2) & 3] ?? 0) / (isMpeg1 ? 1 : version === 2 ? 2 : 4);
  if (kbit === 0 || rate === 0) return 0;
  return Math.floor(((isMpeg1 ? 144_000 : 72_000) * kbit) / rate) + ((b2 >> 1) & 1);
}

function adtsFrameLength(file: Uint8Array, at: number): number {
  if (byte(file, at) !== 0xff || (byte(file, at + 1) & 0xf6) !== 0xf0) return 0;
  const length = ((byte(file, at + 3) & 3) << 11) | (byte(file, at + 4) << 3) | (byte(file, at + 5) >> 5);
  return length >= 7 ? length : 0;
}

// Apart from file-bytes.ts, so that the server does not load mediabunny, which is for the decoding processes.

export type ReadBytes = (start: number, end: number) => Promise<Uint8Array>;

/** Everything that says what a file is stands here, unless a picture in a tag comes before it. */
const headBytes = 65_536;
/** Pictures are rarely larger. */
const mostTagBytes = 32 * 1_048_576;

/** The first bytes, and those after the tags. */
export async function readHead(size: number, read: ReadBytes): Promise<Uint8Array> {
  const head = await read(0, Math.min(size, headBytes));
  const tags = skipId3(head);
  return tags + headBytes / 2 > head.length && tags < mostTagBytes
    ? read(0, Math.min(size, tags + headBytes))
    : head;
}

/** Whether a file that begins so can be decoded while it is still written. */
export function isStreamable(head: Uint8Array): boolean {
  switch (sniffAudio(head)) {
    case 'webm':
    case 'aac':
      return true;
    case 'ogg':
      return oggCodec(head) === 'other';
    case 'mp4':
      return isFragmented(Buffer.from(head.buffer, head.byteOffset, head.length));
    default:
      return false;
  }
}

const boxHeadBytes = 8;

/** Browsers say in the box `mvex` of `moov` that fragments follow. Without it, the samples are found only when the end is there. */
function isFragmented(head: Buffer): boolean {
  for (let at = 0; at + boxHeadBytes <= head.length; ) {
    const type = head.toString('latin1', at + 4, at + boxHeadBytes);
    const size = head.readUInt32BE(at);
    if (type === 'mvex') return true;
    if (size < boxHeadBytes || type === 'mdat') return false;
    at += type === 'moov' ? boxHeadBytes : size;
  }
  return false;
}

const pageHeadBytes = 27;

/** The packets of the first stream of an OGG file (RFC 3533), one after another. A page that is none ends it. */
export function* oggPackets(file: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let stream: number | null = null;
  let begun: Uint8Array[] = [];
  for (let at = 0; at + pageHeadBytes <= file.length && view.getUint32(at) === 0x4f_67_67_53; ) {
    const serial = view.getUint32(at + 14, true);
    const sizes = file.subarray(at + pageHeadBytes, at + pageHeadBytes + view.getUint8(at + 26));
    stream ??= serial;
    let from = at + pageHeadBytes + sizes.length;
    for (const size of sizes) {
      if (serial === stream) {
        begun.push(file.subarray(from, from + size));
        // A packet ends with a part that is not full.
        if (size < 255) {
          yield Buffer.concat(begun);
          begun = [];
        }
      }
      from += size;
    }
    at = from;
  }
}

/** What the first packet says: `\x7fFLAC`, `Speex   `, `OpusHead`, `\x01vorbis`. */
export function oggCodec(file: Uint8Array): 'flac' | 'speex' | 'other' {
  const [first] = oggPackets(file);
  const mark = Buffer.from(first?.subarray(0, 8) ?? []).toString('latin1');
  if (mark.startsWith('\x7fFLAC')) return 'flac';
  return mark.startsWith('Speex') ? 'speex' : 'other';
}

/** What one file may cost. A small file can unpack to hours: a constant FLAC block has 65,535 samples in 14 bytes. */
export interface AudioLimits {
  maxSeconds: number;
  maxChannels: number;
  maxSampleRate: number;
  /** Of the decoding process, file and samples included. */
  memoryCapBytes: number;
  /** By the clock, since its last progress: for one that waits and does nothing. */
  deadlineMs: number;
  /** Processor time for any file, with what its size adds. One that makes no progress ends soon. */
  cpuMs: number;
  cpuMsPerMebibyte: number;
  /** Added for each second of audio as it comes out, never for what a header claims. */
  cpuMsPerSecond: number;
}

export const defaultAudioLimits: AudioLimits = {
  maxSeconds: 3 * 3600,
  maxChannels: 8,
  maxSampleRate: 192_000,
  memoryCapBytes: 600_000_000,
  deadlineMs: 60_000,
  // Loading the libraries takes up to two seconds. Opus, the slowest, takes 5 ms a second of audio, twice that on a small machine.
  cpuMs: 6_000,
  cpuMsPerMebibyte: 2_000,
  cpuMsPerSecond: 15,
};

export function refuseTooLong(seconds: number, { maxSeconds }: AudioLimits): void {
  if (seconds > maxSeconds)
    throw new BadAudio(
      `The recording is ${Math.ceil(seconds / 60)} minutes long. Send parts of at most ${maxSeconds / 60} minutes.`,
    );
}

const minSampleRate = 1_000;

export function refuseOutside(
  { maxChannels, maxSampleRate }: AudioLimits,
  { channels, sampleRate }: { channels: number; sampleRate: number },
): void {
  if (channels < 1 || channels > maxChannels)
    throw new BadAudio(`The recording has ${channels} channels. Send 1 to ${maxChannels} channels.`);
  if (sampleRate < minSampleRate || sampleRate > maxSampleRate)
    throw new BadAudio(
      `The recording has ${sampleRate} samples a second. Send ${minSampleRate} to ${maxSampleRate}.`,
    );
}

/** For a healthy file with a codec that has no free decoder, or none here. */
export const notRead = (container: string, codec: string, cause?: unknown) =>
  new BadAudio(
    `This ${container} file holds ${codec}, which Steno does not read. Save the recording as FLAC, MP3 or WAV, and send that.`,
    cause,
  );

/** By the numbers of Microsoft's mmreg.h. */
const wavCodecs: Record<number, string | undefined> = {
  49: 'GSM 6.10',
  64: 'G.721',
  69: 'G.726',
  80: 'MPEG audio of layer I or II',
  100: 'G.726',
  101: 'G.722',
  255: 'AAC',
  353: 'Windows Media Audio',
  354: 'Windows Media Audio',
  8192: 'AC-3',
  26447: 'Vorbis',
  41225: 'Speex',
  61868: 'FLAC',
};
export const wavCodecName = (tag: number) => wavCodecs[tag] ?? `the codec number ${tag}`;

/** By the names that MP4 and Matroska have for them. */
const trackCodecs: Record<string, string | undefined> = {
  samr: 'AMR',
  sawb: 'AMR-WB',
  'ac-3': 'AC-3',
  'ec-3': 'E-AC-3',
  alac: 'ALAC',
  dtsc: 'DTS',
  ima4: 'ADPCM (ima4)',
  A_AC3: 'AC-3',
  A_EAC3: 'E-AC-3',
  A_DTS: 'DTS',
  A_ALAC: 'ALAC',
  'A_MPEG/L2': 'MPEG audio of layer II',
  A_TRUEHD: 'TrueHD',
};

export const trackCodecName = (id: unknown) => trackCodecs[String(id)] ?? `the codec "${String(id).trim()}"`;
