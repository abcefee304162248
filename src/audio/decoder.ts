import { setTimeout as sleep } from 'node:timers/promises';
import { pcmRate } from '../domain/audio.ts';
import {
  BadAudio,
  damagedAudio,
  NotAudio,
  TranscriberUnavailable,
  tooManyRecordings,
} from '../domain/speech-errors.ts';
import { createFairQueue } from '../lib/fair-queue.ts';
import { startWorkerProcess, WorkerFault, type WorkerProcess } from '../lib/worker-process.ts';
import type { AudioDecoder, DecodedAudio } from '../ports/audio.ts';
import type { DecoderAnswer, DecoderCommand } from './decoder-process.ts';
import { joinSamples } from './join-samples.ts';
import { type AudioLimits, defaultAudioLimits, refuseTooLong } from './limits.ts';
import { sniffAudio } from './sniff.ts';

/** Two, so that a file that takes long never holds up everybody else. The second starts when the first is busy. */
const processes = 2;
/** A process is replaced after this many files, so that leaks of native libraries cannot add up. */
const filesPerProcess = 100;
/** Files that may wait for a process; the next one is refused. */
const maxWaiting = 64;
const restartMs = 500;
const bytesPerMessage = 1_048_576;
export const decoderScript = new URL('./decoder-process.ts', import.meta.url);

/** Decodes in processes of their own, which are replaced when a file damages them. The users take turns. */
export function createAudioDecoder(options: { limits?: Partial<AudioLimits> } = {}): AudioDecoder {
  const limits = { ...defaultAudioLimits, ...options.limits };
  const queue = createFairQueue<(worker: WorkerProcess) => void>();
  const filesOf = new Map<WorkerProcess, number>();
  const free: WorkerProcess[] = [];
  let isClosed = false;

  /** Before the first file comes, and before the next one when a process has ended: loading the libraries takes time. */
  function start(): void {
    const worker = startWorkerProcess({
      script: decoderScript,
      memoryCapBytes: limits.memoryCapBytes,
      memoryCheckMs: 20,
    });
    filesOf.set(worker, 0);
    free.push(worker);
    void worker.exited.then(async () => {
      const hasServed = filesOf.get(worker) !== 0;
      filesOf.delete(worker);
      if (free.includes(worker)) free.splice(free.indexOf(worker), 1);
      // One that ends before its first file would end again at once.
      if (!hasServed) await sleep(restartMs, undefined, { ref: false });
      if (!isClosed && (filesOf.size === 0 || queue.size > 0)) start();
    });
    serve();
  }

  function serve(): void {
    while (free.length > 0 && queue.size > 0) {
      const worker = free.shift();
      if (worker) queue.shift()?.(worker);
    }
  }

  function putBack(worker: WorkerProcess): void {
    const files = (filesOf.get(worker) ?? 0) + 1;
    filesOf.set(worker, files);
    if (worker.hasEnded()) return;
    if (isClosed || files >= filesPerProcess) worker.kill();
    else free.push(worker);
    serve();
  }

  /** A process for the file, in turn. Whoever gives up leaves the line at once. */
  function turnOf(userId: string, signal: AbortSignal | undefined): Promise<WorkerProcess> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (isClosed) throw new WorkerFault('closed', 'the decoder is closed');
      if (queue.size >= maxWaiting) throw tooManyRecordings();
      const leave = () => {
        queue.remove((item) => item === begin);
        reject(signal?.reason);
      };
      const begin = (worker: WorkerProcess) => {
        signal?.removeEventListener('abort', leave);
        resolve(worker);
      };
      signal?.addEventListener('abort', leave, { once: true });
      queue.push(userId, begin);
      if (free.length === 0 && filesOf.size < processes) start();
      else serve();
    });
  }

  start();

  return {
    async decode(file, { userId = '', signal } = {}) {
      if (sniffAudio(file) === null) throw new NotAudio();
      const attempt = async () => {
        const worker = await turnOf(userId, signal);
        return decodeWith(worker, file, limits, signal).finally(() => putBack(worker));
      };
      try {
        // A process that died while it had nothing to do is no fault of the file, so a crash gets a second try.
        return await attempt().catch((error: unknown) => {
          if (error instanceof WorkerFault && error.reason === 'crashed') return attempt();
          throw error;
        });
      } catch (error) {
        throw explain(error);
      }
    },
    async close() {
      isClosed = true;
      const stopping = [...filesOf.keys()];
      for (const worker of stopping) worker.kill();
      await Promise.all(stopping.map(({ exited }) => exited));
    },
  };
}

function decodeWith(
  worker: WorkerProcess,
  file: Uint8Array,
  limits: AudioLimits,
  signal: AbortSignal | undefined,
): Promise<DecodedAudio> {
  const pieces: Float32Array[] = [];
  let samples = 0;
  return worker.request<DecodedAudio>({
    messages: commands(file, limits),
    deadlineMs: limits.deadlineMs,
    cpuMs: limits.cpuMs + (file.length / bytesPerMessage) * limits.cpuMsPerMebibyte,
    signal,
    receive(message, giveCpuMs) {
      // It comes from our own process, which sends nothing else.
      const answer = message as DecoderAnswer;
      switch (answer.kind) {
        case 'opened':
          giveCpuMs(answer.seconds * limits.cpuMsPerSecond);
          return undefined;
        case 'samples':
          pieces.push(answer.pcm);
          samples += answer.pcm.length;
          refuseTooLong(samples / pcmRate - 1, limits);
          return undefined;
        case 'done':
          return { pcm: joinSamples(pieces, samples), durationMs: answer.durationMs };
        case 'not audio':
          throw new NotAudio();
        case 'bad audio':
          throw new BadAudio(answer.message, answer.cause);
      }
    },
  });
}

function* commands(file: Uint8Array, limits: AudioLimits): Iterable<DecoderCommand> {
  for (let at = 0; at < file.length; at += bytesPerMessage)
    yield { kind: 'slice', bytes: file.subarray(at, at + bytesPerMessage) };
  yield { kind: 'decode', limits };
}

/** When the process crashes, hangs or takes too much memory, the file is to blame, unless we stopped it ourselves. */
function explain(error: unknown): unknown {
  if (!(error instanceof WorkerFault)) return error;
  if (error.reason === 'closed')
    return new TranscriberUnavailable('The server is stopping. Try again in a moment.', {
      retryAfterSeconds: 5,
      cause: error,
    });
  if (error.reason === 'crashed') return damagedAudio(error);
  return new BadAudio(
    'Decoding this file costs too much time or memory. Save the recording in another format, such as MP3.',
    error,
  );
}
