import { ALL_FORMATS, BufferSource, Input, type InputAudioTrack } from 'mediabunny';
import type { AudioContainer } from '../domain/audio.ts';
import { BadAudio, NotAudio } from '../domain/speech-errors.ts';
import type { AudioLimits } from './limits.ts';
import { sniffAudio } from './sniff.ts';

export interface OpenTrack {
  format: AudioContainer;
  codec: string;
  track: InputAudioTrack;
  /** Of the whole file: more than one means a video or several languages. */
  trackCount: number;
  /** Negative where the encoder's run-in stands before the beginning (AAC in MP4). */
  firstSecond: number;
  seconds: number;
}

/** Reads the container and refuses what lies beyond the limits, before a single sample is decoded. */
export async function openTrack(file: Uint8Array, limits: AudioLimits): Promise<OpenTrack> {
  const format = sniffAudio(file);
  if (format === null) throw new NotAudio();
  try {
    const input = new Input({ source: new BufferSource(file), formats: ALL_FORMATS });
    const track = await input.getPrimaryAudioTrack();
    if (track === null) throw new BadAudio('the file holds no audio track');
    const [codec, channels, rate] = [track.codec, track.numberOfChannels, track.sampleRate];
    if (codec === null) throw new BadAudio('its codec is not one we read');
    if (channels < 1 || channels > limits.maxChannels)
      throw new BadAudio(`it has ${channels} channels, at most ${limits.maxChannels} are read`);
    if (rate < 1000 || rate > limits.maxSampleRate) throw new BadAudio(`its sample rate is ${rate} Hz`);
    const [tracks, firstSecond, end] = await Promise.all([
      input.getTracks(),
      track.getFirstTimestamp(),
      track.computeDuration(),
    ]);
    const seconds = end - Math.max(0, firstSecond);
    if (!(seconds >= 0)) throw new BadAudio('it does not tell how long it is');
    refuseTooLong(seconds, limits);
    return { format, codec, track, trackCount: tracks.length, firstSecond, seconds };
  } catch (cause) {
    throw cause instanceof BadAudio ? cause : new BadAudio('the file is damaged', { cause });
  }
}

export function refuseTooLong(seconds: number, { maxSeconds }: AudioLimits): void {
  if (seconds > maxSeconds)
    throw new BadAudio(`it is ${Math.ceil(seconds / 60)} minutes long, at most ${maxSeconds / 60} are read`);
}
