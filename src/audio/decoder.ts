import { type AudioContainer, pcmRate } from '../domain/audio.ts';
import { BadAudio, NotAudio, TranscriberUnavailable } from '../domain/speech-errors.ts';
import { startWorkerProcess, WorkerFault, type WorkerProcess } from '../lib/worker-process.ts';
import type { AudioDecoder, AudioInfo, DecodedAudio } from '../ports/audio.ts';
import type { DecoderAnswer, DecoderCommand } from './decoder-process.ts';
import { type AudioLimits, defaultAudioLimits } from './limits.ts';
import { sniffAudio } from './sniff.ts';

export interface AudioDecoderOptions {
  limits?: Partial<AudioLimits>;
  /** How many files are decoded at once. */
  processes?: number;
  /** A process is replaced after so many files: what a native library leaks goes with it. */
  filesPerProcess?: number;
  /** Files that may wait for a process before the next is refused. */
  maxWaiting?: number;
}

interface Worker {
  process: WorkerProcess;
  files: number;
}

const bytesPerMessage = 1_048_576;

/** Decodes in processes of its own, each kept warm and thrown away at the first sign of trouble. */
export function createAudioDecoder(options: AudioDecoderOptions = {}): AudioDecoder {
  const { processes = 1, filesPerProcess = 100, maxWaiting = 64 } = options;
  const limits = { ...defaultAudioLimits, ...options.limits };
  const idle: Worker[] = [];
  const waiting: (() => void)[] = [];
  let running = 0;
  let closed = false;

  const start = (): Worker => ({
    process: startWorkerProcess({
      script: new URL('./decoder-process.ts', import.meta.url),
      memoryCapBytes: limits.memoryCapBytes,
      memoryCheckMs: 20,
    }),
    files: 0,
  });
  // Started ahead of the first file, which would otherwise wait for the libraries to load.
  idle.push(start());

  async function turn(): Promise<void> {
    if (running >= processes) {
      if (waiting.length >= maxWaiting)
        throw new TranscriberUnavailable('Too many recordings are waiting. Try again soon.', {
          retryAfterSeconds: 10,
        });
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    running += 1;
  }

  function next(): void {
    running -= 1;
    waiting.shift()?.();
  }

  async function run(task: 'probe' | 'decode', file: Uint8Array, signal?: AbortSignal) {
    if (sniffAudio(file) === null) throw new NotAudio();
    await turn();
    try {
      signal?.throwIfAborted();
      if (closed) throw new WorkerFault('closed', 'the decoder is closed');
      const worker = idle.pop() ?? start();
      try {
        return await decodeWith(worker.process, { task, file, limits, signal });
      } finally {
        keepOrReplace(worker);
      }
    } catch (error) {
      throw explain(error);
    } finally {
      next();
    }
  }

  function keepOrReplace(worker: Worker): void {
    worker.files += 1;
    const isUsable = !worker.process.hasEnded() && worker.files < filesPerProcess;
    if (!isUsable || closed) worker.process.kill();
    if (!closed) idle.push(isUsable ? worker : start());
  }

  return {
    probe: async (file, { signal } = {}) => (await run('probe', file, signal)).info,
    decode: async (file, { signal } = {}) => (await run('decode', file, signal)).decoded(),
    async close() {
      closed = true;
      const stopped = idle.splice(0);
      for (const { process } of stopped) process.kill();
      await Promise.all(stopped.map(({ process }) => process.exited));
    },
  };
}

interface Decoding {
  task: 'probe' | 'decode';
  file: Uint8Array;
  limits: AudioLimits;
  signal: AbortSignal | undefined;
}

interface Result {
  info: AudioInfo;
  decoded(): DecodedAudio;
}

function decodeWith(worker: WorkerProcess, { task, file, limits, signal }: Decoding): Promise<Result> {
  const pieces: Float32Array[] = [];
  let samples = 0;
  return worker.request<Result>({
    messages: commands(task, file, limits),
    deadlineMs: limits.deadlineMs,
    signal,
    receive(message) {
      // Our own process on the other side of a pipe: the type is the protocol.
      const answer = message as DecoderAnswer;
      if (answer.kind === 'samples') {
        pieces.push(answer.pcm);
        samples += answer.pcm.length;
        if (samples > limits.maxSeconds * pcmRate + pcmRate) throw new BadAudio('it is too long');
        return undefined;
      }
      if (answer.kind === 'refused') throw refusal(answer);
      const info = { ...answer, format: answer.format as AudioContainer };
      return {
        info: { format: info.format, codec: info.codec, durationMs: info.durationMs },
        decoded: () => ({
          format: info.format,
          codec: info.codec,
          durationMs: info.durationMs,
          pcm: join(pieces, samples),
        }),
      };
    },
  });
}

function* commands(task: Decoding['task'], file: Uint8Array, limits: AudioLimits): Iterable<DecoderCommand> {
  for (let at = 0; at < file.length; at += bytesPerMessage)
    yield { kind: 'slice', bytes: file.subarray(at, at + bytesPerMessage) };
  yield { kind: 'run', task, limits };
}

function join(pieces: Float32Array[], length: number): Float32Array {
  const pcm = new Float32Array(length);
  let at = 0;
  for (const piece of pieces) {
    pcm.set(piece, at);
    at += piece.length;
  }
  return pcm;
}

const refusal = ({ notAudio, message, cause }: Extract<DecoderAnswer, { kind: 'refused' }>) =>
  notAudio
    ? new NotAudio({ cause })
    : new BadAudio(message.replace(/^The audio cannot be decoded: |\.$/g, ''), { cause });

/** A file that ends, stalls or bloats the process is the file's fault, unless we stopped the process ourselves. */
function explain(error: unknown): unknown {
  if (!(error instanceof WorkerFault)) return error;
  if (error.reason === 'closed')
    return new TranscriberUnavailable('The server is stopping.', { retryAfterSeconds: 5, cause: error });
  const reason = error.reason === 'crashed' ? 'the file is damaged' : 'it costs too much to decode';
  return new BadAudio(reason, { cause: error });
}
