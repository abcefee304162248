import { TranscriberUnavailable } from '../domain/speech-errors.ts';
import { startWorkerProcess, WorkerFault, type WorkerProcess } from '../lib/worker-process.ts';
import type { Stretch } from '../ports/audio.ts';
import type { DecoderAnswer, DecoderCommand } from './decoder-process.ts';
import { type AudioLimits, slicesOf } from './limits.ts';

export const decoderProgram = {
  script: new URL('./decoder-process.ts', import.meta.url),
  // Samples die young. With 2 MB for young objects and `collectGarbage` in decode-file.ts a process grew by 30 MB while it
  // decoded Opus, without them by 100.
  flags: ['--max-semi-space-size=2', '--expose-gc'],
};
/** A process that nobody needs any more ends after this. */
const idleMs = 1_000;
/** Nine recordings of 4 MB took 12.6 MB each, their file included. The engine takes at most 64 at once. */
const mostRecordings = 64;
const bytesPerRecording = 15_000_000;
/** A file that was measured does not crash its reader, so it is another's fault, or the system's. */
const mostRestarts = 3;

/**
 * One process for all recordings that are too long to keep while the engine works on them. Each may take minutes, so they
 * share it in turns of a tenth of a second. It only gets files that were decoded to the end before.
 */
export function createStretchReader(limits: AudioLimits) {
  let worker: WorkerProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let recordings = 0;
  let nextId = 1;
  let turn: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function running(): WorkerProcess {
    if (isClosed) throw new WorkerFault('closed', 'the decoder is closed');
    if (worker === undefined || worker.hasEnded())
      worker = startWorkerProcess({
        ...decoderProgram,
        memoryCapBytes: limits.memoryCapBytes + mostRecordings * bytesPerRecording,
      });
    return worker;
  }

  /** One question at a time, in the order in which they are asked. */
  function ask(commandsTo: (process: WorkerProcess) => Iterable<DecoderCommand>): Promise<DecoderAnswer> {
    const answer = turn.then(() => {
      const process = running();
      return process.request<DecoderAnswer>({
        messages: commandsTo(process),
        deadlineMs: limits.deadlineMs,
        // It comes from our own process, which sends nothing else.
        receive: (message) => message as DecoderAnswer,
      });
    });
    turn = answer.catch(() => {});
    return answer;
  }

  async function* read(file: Uint8Array, signal: AbortSignal | undefined): AsyncGenerator<Stretch> {
    const id = nextId++;
    let home: WorkerProcess | undefined;
    let given = 0;
    let restarts = 0;
    function* commands(process: WorkerProcess): Iterable<DecoderCommand> {
      if (process !== home) {
        yield* slicesOf(file);
        yield { kind: 'open', id, limits, skip: given };
      }
      home = process;
      yield { kind: 'next', id };
    }
    recordings += 1;
    clearTimeout(idle);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const answer = await abortable(ask(commands), signal).catch((error: unknown) => {
          const isLost = error instanceof WorkerFault && error.reason !== 'closed';
          if (!isLost || ++restarts > mostRestarts) throw error;
          return null;
        });
        if (answer?.kind === 'end') return;
        if (answer?.kind === 'stretch') {
          given += 1;
          yield answer.stretch;
        } else if (answer !== null && answer.kind !== 'searching')
          throw new WorkerFault('crashed', `it answered "${answer.kind}"`);
      }
    } catch (error) {
      throw error instanceof WorkerFault ? unavailable(error) : error;
    } finally {
      recordings -= 1;
      if (home !== undefined && !home.hasEnded()) ask(() => [{ kind: 'close', id }]).catch(() => {});
      if (recordings === 0) idle = setTimeout(() => worker?.kill(), idleMs).unref();
    }
  }

  return {
    read,
    async close() {
      isClosed = true;
      clearTimeout(idle);
      worker?.kill();
      await worker?.exited;
    },
  };
}

function abortable<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

const unavailable = (cause: WorkerFault) =>
  new TranscriberUnavailable('The recording could not be read to its end. Try again in a moment.', {
    retryAfterSeconds: 5,
    cause,
  });
