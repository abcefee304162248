import { pcmRate } from '../domain/audio.ts';
import { BadAudio, damagedAudio } from '../domain/speech-errors.ts';
import type { DecodedAudio } from '../ports/audio.ts';
import { decodeOpus } from './decode-opus.ts';
import { decodePcm, isPcm } from './decode-pcm.ts';
import { extractTrack } from './extract-track.ts';
import { type AudioLimits, refuseTooLong } from './limits.ts';
import { type OpenTrack, openTrack } from './open-track.ts';
import { decodeWithSymphonia } from './symphonia.ts';

/** Runs in the decoding process only: a damaged file may crash it. */
export async function decodeFile(
  file: Uint8Array,
  limits: AudioLimits,
  onOpened: (seconds: number) => void = () => {},
): Promise<DecodedAudio> {
  const opened = await openTrack(file, limits);
  onOpened(opened.seconds);
  const decoded = await decodeTrack(file, opened, limits);
  const runIn = Math.round(Math.max(0, -opened.firstSecond) * pcmRate);
  const pcm = trimToTruth(decoded.subarray(runIn), opened);
  refuseTooLong(pcm.length / pcmRate, limits);
  if (pcm.length === 0) throw damagedAudio(new Error('no samples'));
  return { pcm, durationMs: Math.round(believedSeconds(pcm, opened) * 1000) };
}

async function decodeTrack(file: Uint8Array, opened: OpenTrack, limits: AudioLimits): Promise<Float32Array> {
  try {
    if (opened.codec === 'opus') return await decodeOpus(opened, limits);
    if (isPcm(opened)) return await decodePcm(opened, limits);
    const isolate = opened.trackCount > 1 || opened.format === 'mp4' || opened.format === 'aac';
    return await decodeWithSymphonia(isolate ? await extractTrack(opened) : file);
  } catch (cause) {
    throw cause instanceof BadAudio ? cause : damagedAudio(cause);
  }
}

/** A codec fills its last packet up; the container says where the sound ends. */
function trimToTruth(pcm: Float32Array, { seconds, format }: OpenTrack): Float32Array {
  if (format === 'mp3' || format === 'aac') return pcm;
  const paddingSamples = pcmRate / 4;
  const told = Math.round(seconds * pcmRate);
  return pcm.length > told && pcm.length - told < paddingSamples ? pcm.subarray(0, told) : pcm;
}

/**
 * The container's duration is exact, while the decoder's resampler loses some milliseconds. It counts only when the
 * samples agree: a header may lie, and a file may be cut. In MP3 and ADTS it includes silence that the encoder added,
 * so there the samples decide.
 */
function believedSeconds(pcm: Float32Array, { seconds, format }: OpenTrack): number {
  const heard = pcm.length / pcmRate;
  const isHeaderless = format === 'mp3' || format === 'aac';
  return !isHeaderless && Math.abs(heard - seconds) <= 0.05 + heard * 0.005 ? seconds : heard;
}
