import { notFound, serviceUnavailable } from '../../domain/errors.ts';
import type { Recording } from '../../domain/recording.ts';
import { BadAudio, NotAudio } from '../../domain/speech-errors.ts';
import type { AudioFile } from '../../engines/ports/audio.ts';
import { createTurns } from '../../lib/turns.ts';
import { keepWaveform, waveform } from './queries.ts';
import type { Engine } from './recorder.ts';

/** One is made at a time, because decoding hours of audio takes minutes of a core. These may wait. */
const maxWaiting = 8;
const longestMs = 600_000;

/** Waveforms are made with the transcription. Of a recording that has none, it is made at the first asking, and kept. */
export function createWaveforms({ database, audioStore, decoder }: Engine) {
  const making = new Map<string, Promise<Uint8Array>>();
  const turns = createTurns();

  async function make({ id, bytes }: Recording): Promise<Uint8Array> {
    const file = await audioStore.open(id, bytes);
    if (!file) throw notFound('Audio');
    try {
      const peaks = await peaksOf(file);
      await database.write((tx) => keepWaveform(tx, id, peaks));
      return peaks;
    } finally {
      await file.close();
    }
  }

  /** None of audio that can no longer be decoded. */
  async function peaksOf(file: AudioFile): Promise<Uint8Array> {
    try {
      // Without its chunks: it is not transcribed.
      const skip = Number.MAX_SAFE_INTEGER;
      const stream = await decoder.stream(file, { skip, signal: AbortSignal.timeout(longestMs) });
      for await (const _ of stream.chunks());
      return stream.peaks();
    } catch (cause) {
      if (cause instanceof BadAudio || cause instanceof NotAudio) return new Uint8Array();
      throw cause;
    }
  }

  return async (recording: Recording): Promise<Uint8Array> => {
    const { id } = recording;
    const kept = await waveform(database.db, id);
    if (kept) return kept;
    const begun = making.get(id);
    if (begun) return begun;
    if (making.size >= maxWaiting)
      throw serviceUnavailable('Other waveforms are being made. Try again in a minute.', {
        retryAfterSeconds: 60,
      });
    const made = turns('waveform', () => make(recording)).finally(() => making.delete(id));
    making.set(id, made);
    return made;
  };
}
