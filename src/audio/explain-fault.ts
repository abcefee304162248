import { BadAudio, damagedAudio, TranscriberUnavailable } from '../domain/speech-errors.ts';
import { WorkerFault } from '../lib/worker-process.ts';

/** When the process crashes, hangs or takes too much memory, the file is to blame, unless it was stopped from outside. */
export function explainFault(error: unknown): unknown {
  if (!(error instanceof WorkerFault)) return error;
  if (error.reason === 'closed')
    return new TranscriberUnavailable('The server is stopping. Try again in a moment.', {
      retryAfterSeconds: 5,
      cause: error,
    });
  if (error.reason === 'killed')
    return new TranscriberUnavailable(
      'The server lost the process that reads this recording. Try again in a moment.',
      {
        retryAfterSeconds: 5,
        cause: error,
      },
    );
  if (error.reason === 'crashed') return damagedAudio(error);
  return new BadAudio(
    'Decoding this file costs too much time or memory. Save the recording in another format, such as MP3.',
    error,
  );
}
