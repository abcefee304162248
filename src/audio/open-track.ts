import { ALL_FORMATS, type EncodedPacket, EncodedPacketSink, Input, type InputAudioTrack } from 'mediabunny';
import type { AudioContainer } from '../domain/audio.ts';
import { BadAudio, damagedAudio, NotAudio } from '../domain/speech-errors.ts';
import { alacId, readAlacCookie } from './alac.ts';
import type { FileBytes } from './file-bytes.ts';
import { type AudioLimits, refuseTooLong } from './limits.ts';
import { type Mp3Gaps, readMp3Gaps, usualMp3Gaps } from './mp3-gaps.ts';
import { limitRereads } from './not-for-ever.ts';
import { notRead, trackCodecName } from './not-read.ts';
import { sniffAudio } from './sniff.ts';

const minSampleRate = 1_000;

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
