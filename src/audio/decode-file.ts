import { setImmediate as nextTurn } from 'node:timers/promises';
import { pcmRate } from '../domain/audio.ts';
import { AppError } from '../domain/errors.ts';
import { damagedAudio } from '../domain/speech-errors.ts';
import { collectGarbage } from '../lib/collect-garbage.ts';
import type { FileBytes } from './file-bytes.ts';
import { type AudioLimits, refuseTooLong } from './limits.ts';
import { type OpenAudio, openFile } from './open-file.ts';
import { withoutFirst, withoutLast } from './pieces.ts';

export interface DecodedFile {
  /** One channel at `pcmRate`, piece by piece; never all of it is in memory. */
  pieces: AsyncGenerator<Float32Array>;
  /** Of a file that came out as so many samples. */
  durationMs(samples: number): number;
  /** What the file says; null when it says nothing. */
  expectedMs: number | null;
}

/** Runs in the decoding processes only: a damaged file may crash them. */
export async function decodeFile(file: FileBytes, limits: AudioLimits): Promise<DecodedFile> {
  const opened = await openFile(file, limits);
  return {
    pieces: piecesOf(opened, limits),
    expectedMs: Number.isFinite(opened.seconds) ? Math.round(opened.seconds * 1000) : null,
    durationMs: (samples) => Math.round(believedSeconds(samples, opened) * 1000),
  };
}

/** Without what the codec added before and after the audio. */
async function* piecesOf(opened: OpenAudio, limits: AudioLimits) {
  const [before, after] = [opened.addedBefore, opened.addedAfter].map((added) => Math.round(added * pcmRate));
  const trimmed = withoutLast(after ?? 0, withoutFirst(before ?? 0, opened.pieces()));
  let told = isHeaderless(opened) ? Number.POSITIVE_INFINITY : Math.round(opened.seconds * pcmRate);
  let samples = 0;
  let beyond: Float32Array[] = [];
  try {
    for await (const piece of trimmed) {
      const within = Math.max(0, Math.min(piece.length, told - samples));
      samples += piece.length;
      refuseTooLong(samples / pcmRate, limits);
      if (within > 0) yield piece.subarray(0, within);
      if (within < piece.length) beyond.push(piece.subarray(within));
      // A codec fills its last packet up, and the container says where the audio ends. More than a packet is audio.
      if (samples - told >= paddingSamples) {
        told = Number.POSITIVE_INFINITY;
        yield* beyond;
        beyond = [];
      }
      if (
        Math.trunc(samples / samplesPerCollection) >
        Math.trunc((samples - piece.length) / samplesPerCollection)
      )
        collectGarbage();
      // Other recordings are read by the same process.
      await nextTurn();
    }
  } catch (cause) {
    throw cause instanceof AppError ? cause : damagedAudio(cause);
  }
  if (samples === 0) throw damagedAudio(new Error('no samples'));
}

const paddingSamples = pcmRate / 4;
const samplesPerCollection = 15 * pcmRate;

/** In MP3 and ADTS the container counts the silence that the encoder added, so there the samples decide. */
const isHeaderless = ({ format }: OpenAudio) => format === 'mp3' || format === 'aac';

/**
 * The container's duration is exact, while the decoder's resampler loses some milliseconds. It counts only when the
 * samples agree: a header may lie, and a file may be cut.
 */
function believedSeconds(samples: number, opened: OpenAudio): number {
  const measured = samples / pcmRate;
  const { seconds } = opened;
  return !isHeaderless(opened) && Math.abs(measured - seconds) <= 0.05 + measured * 0.005
    ? seconds
    : measured;
}
