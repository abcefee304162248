import { availableParallelism, totalmem } from 'node:os';
import { SpeechOutOfOrder, TranscriberUnavailable, tooManyRecordings } from '../../domain/speech-errors.ts';
import { abortable } from '../../lib/abortable.ts';
import type { Chunk } from '../../ports/audio.ts';
import type { Transcribed, TranscribeRequest, Transcriber } from '../../ports/transcriber.ts';
import type { PackedVoices } from '../diarize/describe-voices.ts';
import { eachChunk } from '../each-chunk.ts';
import { engineLanguage } from '../languages.ts';
import { expectedNames } from '../names/vocabulary.ts';
import type { ChunkTask, ModelInfo } from '../recogniser.ts';
import { followingText, textOf } from '../segments.ts';
import { keepKnown } from '../unknown-language.ts';
import { conclude, settle } from './conclude.ts';
import { type Heard, packHeard, unpackHeard } from './heard.ts';
import {
  cacheFolders,
  locateModel,
  locateSecondModel,
  type ModelFile,
  memoryCapBytes,
} from './model-file.ts';
import { createPool, type PoolTask } from './pool.ts';
import { type Hearing, hearTwice, isOneLanguage, knownLanguages, type TwiceHeard } from './second-hearing.ts';
import { createSecondModel } from './second-model.ts';

export interface EmbeddedOptions {
  /** Path of a GGML or GGUF model; empty for the one that was chosen in `modelsFolder`, or that comes with Steno. */
  model?: string;
  modelsFolder?: string;
  workers?: number;
  /** For prepared models, where the folder of the packages cannot be written to. */
  cacheFolder?: string;
  /** Gets the reason when the model cannot be loaded, for the log. */
  onProblem?: ((problem: string) => void) | undefined;
  /** Gets the name of a model that must be prepared first, for the log. */
  onPreparing?: ((model: string) => void) | undefined;
  /** The rest is for tests. A larger model for what the first one is unsure of; null for none. */
  secondModel?: ModelFile | null;
  secondIdleMs?: number;
  /** Threads of each worker. */
  threads?: number;
  /** Requests under way at once, waiting ones included; the next one is refused. */
  maxRequests?: number;
  /** A worker that takes more is replaced. */
  memoryCapBytes?: number;
  /** Worker code that misbehaves, and how long it may take for so many seconds of speech. */
  workerScript?: URL;
  deadlineMs?: (seconds: number) => number;
}

/** A model of this size gains nothing from more. */
const mostThreads = 8;
/** Measured with the model that comes with Steno: 220 to 260 MB at rest, up to 340 MB on a full window of 30 s. */
const boxedWorkerBytes = 340_000_000;

interface Machine {
  cores?: number;
  memoryBytes?: number;
  workerBytes?: number;
}

/** All workers together take at most so much of the memory, with half as much again to spare. */
const mostMemory = 0.4;
const spare = 1.5;

/** One for each core, at most four, and as many as there is memory for. */
export const defaultWorkers = ({
  cores = availableParallelism(),
  memoryBytes = totalmem(),
  workerBytes = boxedWorkerBytes,
}: Machine = {}) =>
  Math.max(1, Math.min(cores, 4, Math.floor((memoryBytes * mostMemory) / (workerBytes * spare))));

/** A chunk takes a fifth of its length on two free cores. After a minute and fifty times that it hangs. */
const defaultDeadlineMs = (seconds: number) => 60_000 + seconds * 10_000;

/** Whisper in processes of its own, which begin to load the model at once, in the background. */
export function createEmbeddedTranscriber(options: EmbeddedOptions = {}): Transcriber {
  const find = () => locateModel(options.model ?? '', options.modelsFolder);
  const maxRequests = options.maxRequests ?? 64;
  let model = findNow(find);
  const workerBytes = model?.workerBytes ?? boxedWorkerBytes;
  const workers = options.workers ?? defaultWorkers({ workerBytes });
  let info: ModelInfo | undefined;
  let requests = 0;
  /** Rejects those who wait for the model to be loaded. */
  const waiting = new Set<(reason: Error) => void>();
  const shared = {
    threads: options.threads ?? Math.min(availableParallelism(), mostThreads),
    cacheFolders: cacheFolders(options.cacheFolder),
    onPreparing: options.onPreparing,
    deadlineMs: options.deadlineMs ?? defaultDeadlineMs,
  };
  const pool = createPool({
    ...shared,
    model: async () => {
      model ??= find();
      return model;
    },
    workers,
    hasVoices: true,
    onProblem(problem) {
      options.onProblem?.(problem);
      if (info === undefined) for (const refuse of waiting) refuse(new SpeechOutOfOrder(problem));
    },
    memoryCapBytes: options.memoryCapBytes ?? memoryCapBytes(workerBytes),
    ...(options.workerScript && { script: options.workerScript }),
  });
  const secondFile =
    options.secondModel ?? (model && options.secondModel !== null ? secondModelFor(model, workers) : null);
  const second =
    secondFile &&
    createSecondModel({
      ...shared,
      model: secondFile,
      memoryCapBytes: memoryCapBytes(secondFile.workerBytes),
      idleMs: options.secondIdleMs,
      onStart: pool.lendWorker,
      onStop: pool.takeWorkerBack,
    });
  const hearing: Hearing = { pool, second };
  void pool.info.then((loaded) => {
    info = loaded;
  }, ignore);

  /** Waits until the model is loaded, its loading fails, the caller gives up, or it takes too long. */
  async function loaded(signal: AbortSignal | undefined): Promise<ModelInfo> {
    const { ready, problem } = pool.state();
    if (ready === 0 && problem !== null) throw new SpeechOutOfOrder(problem);
    const { promise: refused, reject } = Promise.withResolvers<never>();
    waiting.add(reject);
    const patience = setTimeout(() => reject(starting()), startPatienceMs);
    try {
      return await abortable(Promise.race([pool.info, refused]), signal);
    } finally {
      clearTimeout(patience);
      waiting.delete(reject);
    }
  }

  const languages = () =>
    info ? knownLanguages(info, second) : (second?.languages ?? model?.languages ?? []);

  async function transcribe(request: TranscribeRequest): Promise<Transcribed> {
    request.signal?.throwIfAborted();
    engineLanguage(request.language, languages());
    if (requests >= maxRequests) throw tooManyRecordings();
    requests += 1;
    try {
      return await transcribeAdmitted(request, hearing, await loaded(request.signal));
    } finally {
      requests -= 1;
    }
  }

  return {
    transcribe,
    async hear({ chunk, userId, isBackground, isProvisional, signal, heardLanguage, ...request }) {
      const loadedModel = await loaded(signal);
      const named = engineLanguage(request.language, knownLanguages(loadedModel, second));
      // Where the first model has one language, every chunk may be in another. What is spoken right now is not heard twice.
      const language = named ?? (isProvisional || !isOneLanguage(loadedModel) ? heardLanguage : undefined);
      const engine = isProvisional && language === undefined ? { pool, second: null } : hearing;
      const words = { language, nameList: expectedNames(request).join('\n') };
      const task = { owner: userId, isBackground, signal };
      const heard = await hear(engine, chunk, words, task, !isProvisional);
      const { pieces } = heard;
      return { text: textOf(pieces), words: pieces, language: heard.language, detail: packHeard(heard) };
    },
    async conclude(details, request) {
      return conclude(details.map(unpackHeard), request, hearing, await loaded(request.signal));
    },
    checkLanguage: (language) => void engineLanguage(language, languages()),
    status() {
      const { wanted, ready, busy, problem } = pool.state();
      const state = ready > 0 ? 'ready' : problem === null ? 'starting' : 'failed';
      return {
        state,
        model: info?.model ?? model?.name ?? '',
        runtime: info?.runtime,
        languages: languages(),
        workers: { wanted, ready, busy },
        requests,
        problem: ready > 0 ? null : problem,
      };
    },
    close: async () => void (await Promise.all([pool.close(), second?.close()])),
  };
}

/** A model that cannot be read yet is looked for again when a worker starts, and the problem told there. */
function findNow(find: () => ModelFile): ModelFile | undefined {
  try {
    return find();
  } catch {
    return undefined;
  }
}

/** With the model that comes with Steno, and where the machine has room for both. */
export function secondModelFor(
  first: ModelFile,
  workers = defaultWorkers({ workerBytes: first.workerBytes }),
): ModelFile | null {
  const second = first.sha256 === null ? null : locateSecondModel();
  if (second === null) return null;
  const needed = (workers * first.workerBytes + second.workerBytes) * spare;
  return needed <= totalmem() * mostMemory ? second : null;
}

async function transcribeAdmitted(
  request: TranscribeRequest,
  hearing: Hearing,
  info: ModelInfo,
): Promise<Transcribed> {
  const { userId, onText } = request;
  const { pool, second } = hearing;
  const nameList = expectedNames(request).join('\n');
  const isOne = isOneLanguage(info);
  let language = engineLanguage(request.language, knownLanguages(info, second));
  const isJudged = isOne && language === undefined;
  let first: Promise<unknown> | undefined;

  async function recognise(chunk: Chunk, stop: AbortSignal): Promise<Heard> {
    // It tells the language of all: what is heard at the same time must not disagree, or be another each time.
    if (first && language === undefined && !isOne) await first;
    const work = hear(hearing, chunk, { language, nameList }, { owner: userId, signal: stop });
    first ??= work;
    const heard = await work;
    if (!isOne) language ??= heard.language ?? undefined;
    return heard;
  }

  const before: Heard[] = [];
  let isFirst = true;
  /** Few words of a chunk are judged together with those before it; in the end, with all of them. */
  function tell(heard: Heard): void {
    before.push(heard);
    const kept = isJudged ? keepKnown(settle(before), info.languages[0]).at(-1) : heard.pieces;
    const more = followingText(kept ?? [], isFirst);
    if (more === '') return;
    isFirst = false;
    onText?.(more);
  }

  const heard = await eachChunk(request, pool.workers, recognise, onText && tell);
  return conclude(heard, request, hearing, info);
}

/**
 * The words and the voices of a chunk. Choosing the words takes one core, so another worker that has nothing to do
 * describes the voices meanwhile; not sooner, since both are slower while the words' work is for all cores.
 */
async function hear(
  hearing: Hearing,
  { start, pcm, voice }: Chunk,
  words: Pick<ChunkTask, 'language' | 'nameList'>,
  task: PoolTask,
  wantsVoices = true,
): Promise<Heard> {
  let describing: Promise<PackedVoices | null> | undefined;
  const describe = () => {
    if (!wantsVoices) return null;
    describing ??= hearing.pool.describeVoices({ pcm, voice }, task);
    // Told below, if the words do not fail first.
    describing.catch(ignore);
    return describing;
  };
  const { doubted, ...heard } = await hearTwice(hearing, { pcm, voice, ...words }, task, describe);
  const voices = await describe();
  const later = (recognised: TwiceHeard): TwiceHeard => ({
    ...recognised,
    pieces: recognised.pieces.map((piece) => ({
      ...piece,
      start: start + piece.start,
      end: start + piece.end,
    })),
  });
  return { ...later(heard), start, voices, ...(doubted && { doubted: later(doubted) }) };
}

const startPatienceMs = 30_000;

const ignore = () => {};

const starting = () =>
  new TranscriberUnavailable('The speech engine is still starting. Try again in a moment.', {
    retryAfterSeconds: 10,
  });
