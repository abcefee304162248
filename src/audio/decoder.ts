import { pcmRate } from '../domain/audio.ts';
import {
  BadAudio,
  damagedAudio,
  NotAudio,
  TranscriberUnavailable,
  tooManyRecordings,
} from '../domain/speech-errors.ts';
import { startWorkerProcess, WorkerFault, type WorkerProcess } from '../lib/worker-process.ts';
import type { AudioDecoder, DecodedAudio } from '../ports/audio.ts';
import type { DecoderAnswer, DecoderCommand } from './decoder-process.ts';
import { joinSamples } from './join-samples.ts';
import { type AudioLimits, defaultAudioLimits, refuseTooLong } from './limits.ts';
import { sniffAudio } from './sniff.ts';

/** The process is replaced after this many files, so that leaks of native libraries cannot add up. */
const filesPerProcess = 100;
/** Files that may wait for the process; the next one is refused. */
const maxWaiting = 64;
const bytesPerMessage = 1_048_576;

/** Decodes one file at a time, in a process of its own that is replaced when a file damages it. */
export function createAudioDecoder(options: { limits?: Partial<AudioLimits> } = {}): AudioDecoder {
  const limits = { ...defaultAudioLimits, ...options.limits };
  const waiting: (() => void)[] = [];
  // Started before the first file comes: loading the libraries takes time.
  let worker = start();
  let files = 0;
  let isBusy = false;
  let isClosed = false;

  function start(): WorkerProcess {
    return startWorkerProcess({
      script: new URL('./decoder-process.ts', import.meta.url),
      memoryCapBytes: limits.memoryCapBytes,
      memoryCheckMs: 20,
    });
  }

  async function takeTurn(): Promise<void> {
    if (!isBusy) isBusy = true;
    else if (waiting.length < maxWaiting) await new Promise<void>((resolve) => waiting.push(resolve));
    else throw tooManyRecordings();
  }

  function endTurn(): void {
    const next = waiting.shift();
    if (next) next();
    else isBusy = false;
  }

  function replaceIfNeeded(): void {
    files += 1;
    if (isClosed || (files < filesPerProcess && !worker.hasEnded())) return;
    worker.kill();
    worker = start();
    files = 0;
  }

  return {
    async decode(file, { signal } = {}) {
      if (sniffAudio(file) === null) throw new NotAudio();
      await takeTurn();
      try {
        signal?.throwIfAborted();
        return await decodeWith(worker, file, limits, signal);
      } catch (error) {
        throw explain(error);
      } finally {
        replaceIfNeeded();
        endTurn();
      }
    },
    async close() {
      isClosed = true;
      worker.kill();
      await worker.exited;
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
    signal,
    receive(message) {
      // It comes from our own process, which sends nothing else.
      const answer = message as DecoderAnswer;
      switch (answer.kind) {
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
