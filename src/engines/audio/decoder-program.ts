import {
  BadAudio,
  DecoderUnavailable,
  damagedAudio,
  NotAudio,
  TranscriberUnavailable,
} from '../../domain/speech-errors.ts';
import { WorkerFault, type WorkerProcess, type WorkerProcessOptions } from '../../lib/worker-process.ts';
import type { DecoderAnswer, DecoderCommand } from './decoder-process.ts';

export type DecoderProgram = Pick<WorkerProcessOptions, 'script' | 'flags' | 'env' | 'read'>;

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
