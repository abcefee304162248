import {
  BadAudio,
  DecoderUnavailable,
  damagedAudio,
  NotAudio,
  TranscriberUnavailable,
} from '../domain/speech-errors.ts';
import { scriptUrl } from '../lib/program.ts';
import { WorkerFault, type WorkerProcess, type WorkerProcessOptions } from '../lib/worker-process.ts';
import type { DecoderAnswer, DecoderCommand } from './decoder-process.ts';

export type DecoderProgram = Pick<WorkerProcessOptions, 'script' | 'flags' | 'env' | 'read'>;

export const decoderProgram: DecoderProgram = {
  script: scriptUrl('src/audio/decoder-process.ts'),
  // Samples die young. With 2 MB for young objects and `collectGarbage` in decode-file.ts a process grew by 30 MB while it
  // decoded Opus, without them by 100.
  flags: ['--max-semi-space-size=2', '--expose-gc'],
  // To the C library of Linux: give buffers above 256 KiB back when they are freed. 67 MB instead of 92 (decision 75).
  env: { MALLOC_MMAP_THRESHOLD_: '262144' },
};

/** The bytes that a decoding process asks for. */
export const bytesFor = (
  { id, start, end }: Extract<DecoderAnswer, { kind: 'want' }>,
  file: Uint8Array,
): DecoderCommand => ({ kind: 'bytes', id, start, bytes: file.subarray(start, end) });

/** Raises what a process answers that could not decode. */
export function raiseRefusal(answer: DecoderAnswer, worker: WorkerProcess): void {
  switch (answer.kind) {
    case 'not audio':
      throw new NotAudio();
    case 'bad audio':
      throw new BadAudio(answer.message, answer.cause);
    case 'no decoder':
      // Node remembers a failed import, so only a new process can try again.
      worker.kill();
      throw new DecoderUnavailable(answer.cause);
  }
}

/** When a process crashes, hangs or takes too much memory, the file is to blame, unless it never started or was killed. */
export function explainFault(error: unknown): unknown {
  if (!(error instanceof WorkerFault)) return error;
  switch (error.reason) {
    case 'not started':
      return new DecoderUnavailable(error);
    case 'closed':
      return passing('The server is stopping.', error);
    case 'killed':
      return passing('The server lost the process that reads this recording.', error);
    case 'crashed':
      return damagedAudio(error);
    default:
      return new BadAudio(
        'Decoding this file costs too much time or memory. Save the recording in another format, such as MP3.',
        error,
      );
  }
}

const passing = (problem: string, cause: WorkerFault) =>
  new TranscriberUnavailable(`${problem} Try again in a moment.`, { retryAfterSeconds: 5, cause });
