import { ALL_FORMATS, BufferSource, Input, type InputAudioTrack } from 'mediabunny';
import type { AudioContainer } from '../domain/audio.ts';
import { BadAudio, damagedAudio, NotAudio } from '../domain/speech-errors.ts';
import { type AudioLimits, refuseTooLong } from './limits.ts';
import { readMp3Gaps } from './mp3-gaps.ts';
import { sniffAudio } from './sniff.ts';

const minSampleRate = 1_000;

export interface OpenTrack {
  format: AudioContainer;
  codec: string;
  track: InputAudioTrack;
  /** Seconds of silence that the encoder put before the beginning and after the end (AAC in MP4, MP3). */
  addedBefore: number;
  addedAfter: number;
  seconds: number;
}

/** Reads the container and refuses what is over the limits, before anything is decoded. */
export async function openTrack(file: Uint8Array, limits: AudioLimits): Promise<OpenTrack> {
  const format = sniffAudio(file);
  if (format === null) throw new NotAudio();
  try {
    const input = new Input({ source: new BufferSource(file), formats: ALL_FORMATS });
    const track = await input.getPrimaryAudioTrack();
    if (track === null) throw new BadAudio('The file has no audio track. Send a recording with sound.');
    const [codec, channels, rate] = [track.codec, track.numberOfChannels, track.sampleRate];
    if (codec === null)
      throw new BadAudio(
        'This server does not know the codec of the recording. Save it as MP3, FLAC or WAV.',
      );
    if (channels < 1 || channels > limits.maxChannels)
      throw new BadAudio(`The recording has ${channels} channels. Send 1 to ${limits.maxChannels} channels.`);
    if (rate < minSampleRate || rate > limits.maxSampleRate)
      throw new BadAudio(
        `The recording has ${rate} samples a second. Send ${minSampleRate} to ${limits.maxSampleRate}.`,
      );
    const [firstSecond, end] = await Promise.all([track.getFirstTimestamp(), track.computeDuration()]);
    const seconds = end - Math.max(0, firstSecond);
    if (!(seconds >= 0)) throw damagedAudio(new Error('no duration'));
    refuseTooLong(seconds, limits);
    const gaps = format === 'mp3' ? readMp3Gaps(file) : { before: 0, after: 0 };
    const addedBefore = Math.max(0, -firstSecond) + gaps.before / rate;
    return { format, codec, track, addedBefore, addedAfter: gaps.after / rate, seconds };
  } catch (cause) {
    throw cause instanceof BadAudio ? cause : damagedAudio(cause);
  }
}
