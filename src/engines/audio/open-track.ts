import {
  ALL_FORMATS,
  type EncodedPacket,
  EncodedPacketSink,
  Input,
  type InputAudioTrack,
  type Source,
} from 'mediabunny';
import type { AudioContainer } from '../../domain/audio.ts';
import { BadAudio, damagedAudio, NotAudio } from '../../domain/speech-errors.ts';
import { alacId, readAlacCookie } from './alac.ts';
import type { FileBytes } from './file-bytes.ts';
import {
  type AudioLimits,
  notRead,
  refuseOutside,
  refuseTooLong,
  skipId3,
  sniffAudio,
  trackCodecName,
} from './sniff.ts';

export interface OpenTrack {
  format: AudioContainer;
  codec: string;
  track: InputAudioTrack;
  /** Read while it is spoken: what is there is wanted at once. */
  isLive: boolean;
  packets(): AsyncIterable<EncodedPacket>;
  /** Seconds of silence that the encoder put before the beginning and after the end (AAC in MP4, MP3). */
  addedBefore: number;
  addedAfter: number;
  seconds: number;
  alacCookie?: Uint8Array;
}

const noGaps: Mp3Gaps = { before: 0, after: 0 };
/** Frames overlap by half, so the first one is incomplete. */
const aacGaps: Mp3Gaps = { before: 1_024, after: 0 };

function gapsOf(codec: string, format: AudioContainer, file: Uint8Array): Mp3Gaps {
  if (codec === 'mp3') return format === 'mp3' ? readMp3Gaps(file) : usualMp3Gaps;
  return codec === 'aac' ? aacGaps : noGaps;
}

/** Reads the container and refuses what is over the limits, before anything is decoded. */
export async function openTrack(file: FileBytes, limits: AudioLimits): Promise<OpenTrack> {
  const format = sniffAudio(file.head);
  if (format === null) throw new NotAudio();
  try {
    const input = new Input({ source: limitRereads(file.source()), formats: ALL_FORMATS });
    const track = await input.getPrimaryAudioTrack();
    // What the file holds stands at its end in many M4A files.
    if ((await input.getTracks()).length === 0) throw damagedAudio(new Error('no tracks'));
    if (track === null) throw new BadAudio('The file has no audio track. Send a recording with sound.');
    const isAlac = track.internalCodecId === alacId;
    const codec = isAlac ? alacId : track.codec;
    const rate = track.sampleRate;
    if (codec === null) {
      const { name } = await input.getFormat();
      throw notRead(name.replace(' File Format', ''), trackCodecName(track.internalCodecId));
    }
    refuseOutside(limits, { channels: track.numberOfChannels, sampleRate: rate });
    const sink = new EncodedPacketSink(track);
    const first = await sink.getFirstPacket({ metadataOnly: true });
    // In a FLAC that is cut before its first frame, mediabunny would search for the end without limit.
    if (first === null && !file.growing) throw damagedAudio(new Error('no packets'));
    const firstSecond = first?.timestamp ?? 0;
    const end = file.growing ? Number.POSITIVE_INFINITY : await track.computeDuration();
    // A container that knows of the silence puts it before the time 0, and does not count it.
    const isKnown = firstSecond < 0;
    const gaps = isKnown ? noGaps : gapsOf(codec, format, file.head);
    const seconds = end - Math.max(0, firstSecond) - gaps.before / rate;
    if (!(end >= 0)) throw damagedAudio(new Error('no duration'));
    if (Number.isFinite(seconds)) refuseTooLong(seconds, limits);
    return {
      format,
      codec,
      track,
      isLive: file.growing !== undefined,
      packets: () => sink.packets(),
      // Opus tells it itself.
      addedBefore: codec === 'opus' ? 0 : isKnown ? -firstSecond : gaps.before / rate,
      addedAfter: gaps.after / rate,
      seconds: Math.max(0, seconds),
      ...(isAlac && { alacCookie: await readAlacCookie(file.parts()) }),
    };
  } catch (cause) {
    throw cause instanceof BadAudio ? cause : damagedAudio(cause);
  }
}

/** What an MP3 encoder adds before and after the audio, in samples of the file's rate. */
interface Mp3Gaps {
  before: number;
  after: number;
}

/** What every decoder adds before the audio. */
const decoderDelay = 529;
/** Where the encoder left no tag: LAME puts 576 samples before the audio, other encoders no less. */
const usualMp3Gaps: Mp3Gaps = { before: 576 + decoderDelay, after: 0 };
const searchedBytes = 4_096;

/** From the tag that LAME and its relatives leave in the first frame. */
function readMp3Gaps(file: Uint8Array): Mp3Gaps {
  const firstFrame = skipId3(file);
  const head = Buffer.from(file.subarray(firstFrame, firstFrame + searchedBytes)).toString('latin1');
  const at = firstFrame + Math.max(head.indexOf('Xing'), head.indexOf('Info'));
  if (at < firstFrame) return usualMp3Gaps;
  const flags = file[at + 7] ?? 0;
  // Frames and bytes have 4 bytes each, the table of contents 100, the quality 4; then nine of the encoder's name.
  const lengths = [4, 4, 100, 4];
  const lame = at + 8 + lengths.reduce((sum, length, bit) => sum + ((flags >> bit) & 1 ? length : 0), 0);
  if (!/^La[mv]/i.test(Buffer.from(file.subarray(lame, lame + 3)).toString('latin1'))) return usualMp3Gaps;
  const [b1 = 0, b2 = 0, b3 = 0] = file.subarray(lame + 21, lame + 24);
  return {
    before: ((b1 << 4) | (b2 >> 4)) + decoderDelay,
    after: Math.max(0, (((b2 & 15) << 8) | b3) - decoderDelay),
  };
}

/** Not in mediabunny's types. It gives null where the file has ended. */
interface Reading {
  _read(start: number, end: number, ...limits: number[]): unknown;
}

/** In a row. A page of a healthy OGG is read up to 255 times, once for each packet on it. */
const mostReadsOfSame = 10_000;

/**
 * The same source, but it ends when the same bytes are asked for over and over. mediabunny 1.61 does that in a damaged WebM:
 * it looks for the next part that it knows, and if there is none, it never stops. So the audio before the damage is decoded.
 */
function limitRereads(source: Source): Source {
  const reading = source as unknown as Reading;
  const read = reading._read.bind(source);
  let last = '';
  let times = 0;
  reading._read = (start, end, ...limits) => {
    const asked = `${start} ${end}`;
    times = asked === last ? times + 1 : 0;
    last = asked;
    return times > mostReadsOfSame ? null : read(start, end, ...limits);
  };
  return source;
}
