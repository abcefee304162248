import { TranscriberUnavailable } from '../../domain/speech-errors.ts';
import { collectGarbage } from '../../lib/collect-garbage.ts';
import { abortable } from '../../lib/fair-queue.ts';
import { startWorkerProcess, WorkerFault, type WorkerProcess } from '../../lib/worker-process.ts';
import type { Chunk } from '../ports/audio.ts';
import type { DecoderAnswer, DecoderCommand } from './decoder-process.ts';
import { bytesFor, type DecoderProgram, raiseRefusal } from './decoder-program.ts';
import type { AudioLimits } from './sniff.ts';

/** Nine recordings of 4 MB took 12.6 MB each, their file included. The engine takes at most 64 at once. */
const mostRecordings = 64;
const bytesPerRecording = 15_000_000;
/** A file that was measured does not crash its reader, so it is another's fault, or the system's. */
const mostRestarts = 3;

/**
 * One process for all recordings that are too long to keep while the engine works on them. Each may take minutes, so they
 * share it in turns of a tenth of a second. It only gets files that were decoded to the end before.
 */
export function createChunkReader(limits: AudioLimits, program: DecoderProgram) {
  let worker: WorkerProcess | undefined;
  const files = new Map<number, Uint8Array>();
  let nextId = 1;
  let turn: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  function running(): WorkerProcess {
    if (isClosed) throw new WorkerFault('closed', 'the decoder is closed');
    if (worker === undefined || worker.hasEnded())
      worker = startWorkerProcess({
        ...program,
        memoryCapBytes: limits.memoryCapBytes + mostRecordings * bytesPerRecording,
        // Also between two requests, because it decodes ahead.
        onMessage(message, send) {
          // It comes from our own process, which sends nothing else.
          const wish = message as DecoderAnswer;
          const file = wish.kind === 'want' ? files.get(wish.id) : undefined;
          if (wish.kind === 'want' && file) send(bytesFor(wish, file));
        },
      });
    return worker;
  }

  /** One question at a time, in the order in which they are asked. */
  function ask(
    commandsTo: (process: WorkerProcess) => Iterable<DecoderCommand>,
    signal?: AbortSignal,
  ): Promise<DecoderAnswer> {
    const answer = turn.then(() => {
      signal?.throwIfAborted();
      const process = running();
      return process.request<DecoderAnswer>({
        messages: commandsTo(process),
        deadlineMs: limits.deadlineMs,
        // It comes from our own process, which sends nothing else.
        receive(message) {
          const answer = message as DecoderAnswer;
          raiseRefusal(answer, process);
          return answer.kind === 'want' ? undefined : answer;
        },
      });
    });
    // Silent: the caller of that read gets the error; the next read only waits for its turn.
    turn = answer.catch(() => {});
    return answer;
  }

  async function* read(file: Uint8Array, signal: AbortSignal | undefined): AsyncGenerator<Chunk> {
    const id = nextId++;
    let home: WorkerProcess | undefined;
    let given = 0;
    let restarts = 0;
    function* commands(process: WorkerProcess): Iterable<DecoderCommand> {
      if (process !== home) {
        yield { kind: 'open', id, size: file.length, limits, skip: given };
      }
      home = process;
      yield { kind: 'next', id };
    }
    files.set(id, file);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const answer = await abortable(ask(commands, signal), signal).catch((error: unknown) => {
          const isLost = error instanceof WorkerFault && error.reason !== 'closed';
          if (!isLost || ++restarts > mostRestarts) throw error;
          return null;
        });
        if (answer?.kind === 'end') return;
        if (answer?.kind === 'chunk') {
          given += 1;
          yield answer.chunk;
          collectGarbage();
        } else if (answer !== null && answer.kind !== 'searching')
          throw new WorkerFault('crashed', `it answered "${answer.kind}"`);
      }
    } catch (error) {
      throw error instanceof WorkerFault ? unavailable(error) : error;
    } finally {
      files.delete(id);
      // What it took is given back at once: the next upload needs the room.
      if (files.size === 0) worker?.kill();
      // Silent: a process that cannot answer has ended, and its files with it.
      else if (home !== undefined && !home.hasEnded()) ask(() => [{ kind: 'close', id }]).catch(() => {});
    }
  }

  return {
    read,
    async close() {
      isClosed = true;
      worker?.kill();
      await worker?.exited;
    },
  };
}

const unavailable = (cause: WorkerFault) =>
  new TranscriberUnavailable('The recording could not be read to its end. Try again in a moment.', {
    retryAfterSeconds: 5,
    cause,
  });
