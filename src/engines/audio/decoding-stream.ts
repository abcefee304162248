import { collectGarbage } from '../../lib/collect-garbage.ts';
import { hasDied, startWorkerProcess, WorkerFault, type WorkerProcess } from '../../lib/worker-process.ts';
import type { AudioFile, AudioStream, Chunk, StreamOptions } from '../ports/audio.ts';
import type { DecoderAnswer, DecoderCommand } from './decoder-process.ts';
import { type DecoderProgram, explainFault, raiseRefusal } from './decoder-program.ts';
import type { AudioLimits } from './sniff.ts';

/** A process that dies again and again at the same place does so because of the file. */
const mostRestarts = 3;
/** A growing file is decoded in small parts: AAC took 16 to 19 ms for a second of audio on a busy machine. */
const liveEffort = 4;

/**
 * Decodes recordings of any length once, each in a process of its own, which asks for the bytes that it needs. When the
 * process is killed, another begins anew and leaves out what was given already: the chunks are the same each time.
 */
export function createDecodingStreams(limits: AudioLimits, program: DecoderProgram) {
  const running = new Set<WorkerProcess>();
  let isClosed = false;

  async function stream(file: AudioFile, options: StreamOptions = {}): Promise<AudioStream> {
    const { signal, maxSeconds = limits.maxSeconds } = options;
    const bounds = { ...limits, maxSeconds };
    let skip = options.skip ?? 0;
    let worker: WorkerProcess | undefined;
    let restarts = 0;
    let durationMs = 0;
    let peaks: Uint8Array = new Uint8Array();
    // A file that cannot be read is no fault of the process.
    const unread = new AbortController();

    function stop(): void {
      worker?.kill();
      if (worker) running.delete(worker);
    }

    async function start(): Promise<number | null> {
      if (isClosed) throw new WorkerFault('closed', 'the decoder is closed');
      stop();
      worker = startWorkerProcess({
        ...program,
        memoryCapBytes: limits.memoryCapBytes,
        // Also between two requests, because the demuxer reads ahead.
        onMessage(message, send) {
          // It comes from our own process, which sends nothing else.
          const wish = message as DecoderAnswer;
          if (wish.kind !== 'want') return;
          const { id, start } = wish;
          bytesOf(file, wish).then(
            (bytes) => send({ kind: 'bytes', id, start, bytes } satisfies DecoderCommand),
            (cause: unknown) => unread.abort(cause),
          );
        },
      });
      running.add(worker);
      const answer = await ask(worker, {
        kind: 'stream',
        id: 0,
        size: file.size,
        limits: bounds,
        skip,
        isLive: file.grown !== undefined,
      });
      return answer.kind === 'stream open' ? answer.expectedMs : null;
    }

    function ask(process: WorkerProcess, command: DecoderCommand): Promise<DecoderAnswer> {
      return process.request<DecoderAnswer>({
        messages: [command],
        deadlineMs: limits.deadlineMs,
        cpuMs: limits.cpuMs + (file.size / 1_048_576) * limits.cpuMsPerMebibyte,
        signal: AbortSignal.any(signal ? [signal, unread.signal] : [unread.signal]),
        receive(message, giveCpuMs) {
          // It comes from our own process, which sends nothing else.
          const answer = message as DecoderAnswer;
          switch (answer.kind) {
            case 'want':
              return undefined;
            case 'partial':
              options.onPartial?.(answer.chunk);
              return undefined;
            case 'decoded':
              giveCpuMs(answer.seconds * limits.cpuMsPerSecond * (file.grown ? liveEffort : 1));
              return undefined;
            default:
              raiseRefusal(answer, process);
              return answer;
          }
        },
      });
    }

    /** Tries again with a new process when one was killed. */
    async function lasting<Result>(work: () => Promise<Result>): Promise<Result> {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          signal?.throwIfAborted();
          if (!hasDied(error) || isClosed || ++restarts > mostRestarts) {
            stop();
            throw explainFault(error);
          }
        }
      }
    }

    async function* chunks(): AsyncGenerator<Chunk> {
      try {
        for (;;) {
          const answer = await lasting(async () => {
            if (worker === undefined || worker.hasEnded()) await start();
            return worker === undefined ? null : ask(worker, { kind: 'next of stream' });
          });
          if (answer?.kind === 'chunk') {
            skip += 1;
            restarts = 0;
            yield answer.chunk;
            collectGarbage();
          } else {
            if (answer?.kind === 'stream end') ({ durationMs, peaks } = answer);
            return;
          }
        }
      } finally {
        stop();
      }
    }

    return { expectedMs: await lasting(start), chunks, durationMs: () => durationMs, peaks: () => peaks };
  }

  return {
    stream,
    async close() {
      isClosed = true;
      for (const worker of running) worker.kill();
      await Promise.all([...running].map(({ exited }) => exited));
    },
  };
}

/** Of a file that is still growing, as many as there are; none at its end. */
async function bytesOf(file: AudioFile, { start, end }: { start: number; end: number }): Promise<Uint8Array> {
  if (!file.grown) return file.read(start, end);
  const { size } = await file.grown(start);
  return size > start ? file.read(start, Math.min(end, size)) : new Uint8Array();
}
