import { setTimeout as sleep } from 'node:timers/promises';
import { type AudioFormat, audioFormats, formatsWithoutNativeDecoder } from '../../domain/audio.ts';
import { DecoderUnavailable, NotAudio, tooManyRecordings } from '../../domain/speech-errors.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import { scriptUrl } from '../../lib/program.ts';
import { hasDied, startWorkerProcess, WorkerFault, type WorkerProcess } from '../../lib/worker-process.ts';
import type { AudioDecoder, Chunk, DecodeOptions } from '../ports/audio.ts';
import { createChunkReader } from './chunk-reader.ts';
import type { DecoderAnswer, DecoderCommand } from './decoder-process.ts';
import { bytesFor, type DecoderProgram, explainFault, raiseRefusal } from './decoder-program.ts';
import { createDecodingStreams } from './decoding-stream.ts';
import { type AudioLimits, defaultAudioLimits, isStreamable, readHead, sniffAudio } from './sniff.ts';

export const decoderProgram: DecoderProgram = {
  script: scriptUrl('src/engines/audio/decoder-process.ts'),
  // Samples die young. With 2 MB for young objects and `collectGarbage` in decode-file.ts a process grew by 30 MB while it
  // decoded Opus, without them by 100.
  flags: ['--max-semi-space-size=2', '--expose-gc'],
  // To the C library of Linux: give buffers above 256 KiB back when they are freed. 67 MB instead of 92 (decision 75).
  env: { MALLOC_MMAP_THRESHOLD_: '262144' },
};

/** Two, so that a file that takes long never holds up all others. The second starts when the first is busy. */
const processes = 2;
/** A process is replaced after this many files, so that leaks of native libraries cannot add up. */
const filesPerProcess = 100;
/** A longer recording ends its process as well: so the memory that it took is given back at once. */
const longMs = 60_000;
/** Files that may wait for a process; the next one is refused. */
const maxWaiting = 64;
const restartMs = 500;
const mebibyte = 1_048_576;

/** Decodes in processes of their own, which are replaced when a file damages them. The users take turns. */
export function createAudioDecoder(
  options: { limits?: Partial<AudioLimits>; program?: Partial<DecoderProgram> } = {},
): AudioDecoder {
  const limits = { ...defaultAudioLimits, ...options.limits };
  const program = { ...decoderProgram, ...options.program };
  const queue = createFairQueue<(worker: WorkerProcess) => void>();
  const filesOf = new Map<WorkerProcess, number>();
  const free: WorkerProcess[] = [];
  /** Users of whom a file is being decoded. */
  const served = new Set<string>();
  const reader = createChunkReader(limits, program);
  const streams = createDecodingStreams(limits, program);
  let isClosed = false;
  let lastId = 0;

  /** Before the first file comes, and before the next one when a process has ended: loading the libraries takes time. */
  function start(): void {
    const worker = startWorkerProcess({
      ...program,
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

  /** One file of a user at a time: however many files they send, and however long these take, a process is left. */
  function serve(): void {
    for (let worker = free[0]; worker !== undefined; worker = free[0]) {
      const next = queue.shift((userId) => !served.has(userId));
      if (next === undefined) return;
      free.shift();
      served.add(next.owner);
      next.item(worker);
    }
  }

  function putBack(worker: WorkerProcess, userId: string, isLong: boolean): void {
    served.delete(userId);
    const files = isLong ? filesPerProcess : (filesOf.get(worker) ?? 0) + 1;
    if (filesOf.has(worker)) filesOf.set(worker, files);
    if (isClosed || files >= filesPerProcess) worker.kill();
    if (!worker.hasEnded()) free.push(worker);
    serve();
  }

  /** A process for the file, in turn. A caller that gives up leaves the queue at once. */
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
      if (free.length === 0 && filesOf.size < processes && !served.has(userId)) start();
      else serve();
    });
  }

  start();

  return {
    async open(file, options = {}) {
      const { userId = '', signal } = options;
      if (sniffAudio(file) === null) throw new NotAudio();
      const attempt = async () => {
        const worker = await turnOf(userId, signal);
        let isLong = false;
        try {
          const measured = await measureWith(worker, { id: ++lastId, file }, limits, options);
          isLong = measured.durationMs > longMs;
          return measured;
        } finally {
          putBack(worker, userId, isLong);
        }
      };
      try {
        // A process that died while it had nothing to do is no fault of the file, so a crash gets a second try.
        const { durationMs, chunks } = await attempt().catch((error: unknown) => {
          if (hasDied(error)) return attempt();
          throw error;
        });
        return { durationMs, chunks: () => (chunks ? given(chunks) : reader.read(file, signal)) };
      } catch (error) {
        throw explainFault(error);
      }
    },
    identify: identifyAudio,
    stream: streams.stream,
    async close() {
      isClosed = true;
      const stopping = [...filesOf.keys()];
      for (const worker of stopping) worker.kill();
      await Promise.all([...stopping.map(({ exited }) => exited), reader.close(), streams.close()]);
    },
  };
}

/** By the first bytes of the file, which the server reads itself. */
export const identifyAudio: AudioDecoder['identify'] = async ({ size, read }) => {
  const head = await readHead(size, read);
  const container = sniffAudio(head);
  return container && { container, isStreamable: isStreamable(head) };
};

async function* given(chunks: readonly Chunk[]): AsyncGenerator<Chunk> {
  yield* chunks;
}

interface Measured {
  durationMs: number;
  /** Null if they are too many to keep. */
  chunks: Chunk[] | null;
}

function measureWith(
  worker: WorkerProcess,
  { id, file }: { id: number; file: Uint8Array },
  limits: AudioLimits,
  { limitMs = Number.POSITIVE_INFINITY, signal }: DecodeOptions,
): Promise<Measured> {
  const chunks: Chunk[] = [];
  return worker.request<Measured>({
    messages: [{ kind: 'measure', id, size: file.length, limits, limitMs } satisfies DecoderCommand],
    deadlineMs: limits.deadlineMs,
    cpuMs: limits.cpuMs + (file.length / mebibyte) * limits.cpuMsPerMebibyte,
    signal,
    receive(message, giveCpuMs) {
      // It comes from our own process, which sends nothing else.
      const answer = message as DecoderAnswer;
      switch (answer.kind) {
        case 'want':
          if (answer.id === id) worker.send(bytesFor(answer, file));
          return undefined;
        case 'decoded':
          giveCpuMs(answer.seconds * limits.cpuMsPerSecond);
          return undefined;
        case 'chunk':
          chunks.push(answer.chunk);
          return undefined;
        case 'measured':
          return { durationMs: answer.durationMs, chunks: answer.isShort ? chunks : null };
        default:
          raiseRefusal(answer, worker);
          throw new Error(`The decoder answered "${answer.kind}".`);
      }
    },
  });
}

/** A fifth of a second of silence as FLAC, which only the native decoder reads. */
const silence = Buffer.from(
  'ZkxhQ4AAACIGQAZAAAAAAAAAA+gA8AAABkAAAAAAAAAAAAAAAAAAAAAA//hwCAAGP9kAAACccv/4cAgBBj+yAAAAAXM=',
  'base64',
);

interface ReadableFormats {
  formats: readonly AudioFormat[];
  /** Why some are missing. */
  problem?: unknown;
}

/** What this machine can decode: it tries, in a process that it ends again. */
export async function readableFormats(
  decoder: Pick<AudioDecoder, 'open' | 'close'> = createAudioDecoder(),
): Promise<ReadableFormats> {
  try {
    await decoder.open(silence);
    return { formats: audioFormats };
  } catch (problem) {
    return { formats: formatsWithoutNativeDecoder, problem };
  } finally {
    await decoder.close();
  }
}

/** The same, tried at the first request: it takes a process. A fault that passes is not remembered. */
export function createFormatList(start: () => AudioDecoder = createAudioDecoder) {
  let found: Promise<ReadableFormats> | undefined;
  return async (): Promise<readonly AudioFormat[]> => {
    found ??= readableFormats(start());
    const { formats, problem } = await found;
    if (problem instanceof DecoderUnavailable) found = undefined;
    return formats;
  };
}
