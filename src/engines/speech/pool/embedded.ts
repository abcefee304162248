import { availableParallelism, totalmem } from 'node:os';
import { SpeechOutOfOrder, TranscriberUnavailable } from '../../../domain/speech-errors.ts';
import { abortable } from '../../../lib/fair-queue.ts';
import type { Chunk } from '../../ports/audio.ts';
import type { Transcriber } from '../../ports/transcriber.ts';
import type { PackedEmbeddings } from '../diarize/embed.ts';
import { engineLanguage } from '../languages.ts';
import { expectedNames } from '../names/vocabulary.ts';
import type { ChunkTask, ModelInfo } from '../recogniser.ts';
import { textOf } from '../segments.ts';
import { assemble, type ChunkDetail, packChunk, unpackChunk } from './assemble.ts';
import {
  createFallbackModel,
  isOneLanguage,
  knownLanguages,
  type ModelResult,
  type Models,
  recogniseWithFallback,
} from './fallback-model.ts';
import {
  cacheFolders,
  locateFallbackModel,
  locateModel,
  type ModelFile,
  memoryCapBytes,
} from './model-file.ts';
import { createPool, type PoolTask } from './pool.ts';

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
  /** Gets the reason when a worker ends before its time. */
  onFault?: ((reason: string) => void) | undefined;
  /** Gets the seconds that a piece of work took. */
  onWorked?: ((seconds: number) => void) | undefined;
  /** The rest is for tests. A larger model for what the first one is unsure of; null for none. */
  fallbackModel?: ModelFile | null;
  fallbackIdleMs?: number;
  /** Threads of each worker. */
  threads?: number;
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
  let model = findNow(find);
  const workerBytes = model?.workerBytes ?? boxedWorkerBytes;
  const workers = options.workers ?? defaultWorkers({ workerBytes });
  let info: ModelInfo | undefined;
  /** Rejects those who wait for the model to be loaded. */
  const waiting = new Set<(reason: Error) => void>();
  const shared = {
    threads: options.threads ?? Math.min(availableParallelism(), mostThreads),
    cacheFolders: cacheFolders(options.cacheFolder),
    onPreparing: options.onPreparing,
    onFault: options.onFault,
    onWorked: options.onWorked,
    deadlineMs: options.deadlineMs ?? defaultDeadlineMs,
  };
  const pool = createPool({
    ...shared,
    model: async () => {
      model ??= find();
      return model;
    },
    workers,
    hasDiarization: true,
    onProblem(problem) {
      options.onProblem?.(problem);
      if (info === undefined) for (const refuse of waiting) refuse(new SpeechOutOfOrder(problem));
    },
    memoryCapBytes: options.memoryCapBytes ?? memoryCapBytes(workerBytes),
    ...(options.workerScript && { script: options.workerScript }),
  });
  const fallbackFile =
    options.fallbackModel ??
    (model && options.fallbackModel !== null ? fallbackModelFor(model, workers) : null);
  const fallback =
    fallbackFile &&
    createFallbackModel({
      ...shared,
      model: fallbackFile,
      memoryCapBytes: memoryCapBytes(fallbackFile.workerBytes),
      idleMs: options.fallbackIdleMs,
      onStart: pool.lendWorker,
      onStop: pool.takeWorkerBack,
    });
  const models: Models = { pool, fallback };
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
    info ? knownLanguages(info, fallback) : (fallback?.languages ?? model?.languages ?? []);

  return {
    async transcribeChunk({ chunk, userId, isBackground, isPartial, signal, detectedLanguage, ...request }) {
      const loadedModel = await loaded(signal);
      const named = engineLanguage(request.language, knownLanguages(loadedModel, fallback));
      // A model of one language does not detect others, so any chunk may be in another. A partial transcript must be quick.
      const language = named ?? (isPartial || !isOneLanguage(loadedModel) ? detectedLanguage : undefined);
      const chosen = isPartial && language === undefined ? { pool, fallback: null } : models;
      const words = { language, nameList: expectedNames(request).join('\n') };
      const task = { owner: userId, isBackground, signal };
      const recognised = await transcribeChunk(chosen, chunk, words, task, !isPartial);
      const { pieces } = recognised;
      return {
        text: textOf(pieces),
        words: pieces,
        language: recognised.language,
        detail: packChunk(recognised),
      };
    },
    async assemble(details, request) {
      const chunks = details.map((detail) => unpackChunk(detail, request.isPartial));
      return assemble(chunks, request, models, await loaded(request.signal));
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
        problem: ready > 0 ? null : problem,
      };
    },
    close: async () => void (await Promise.all([pool.close(), fallback?.close()])),
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
export function fallbackModelFor(
  first: ModelFile,
  workers = defaultWorkers({ workerBytes: first.workerBytes }),
): ModelFile | null {
  const fallback = first.sha256 === null ? null : locateFallbackModel();
  if (fallback === null) return null;
  const needed = (workers * first.workerBytes + fallback.workerBytes) * spare;
  return needed <= totalmem() * mostMemory ? fallback : null;
}

/**
 * The words and the speaker embeddings of a chunk. The decoder takes one core, so another worker that has nothing to do
 * computes the embeddings meanwhile; not sooner, since the encoder keeps all cores busy.
 */
async function transcribeChunk(
  models: Models,
  { start, pcm, voice }: Chunk,
  words: Pick<ChunkTask, 'language' | 'nameList'>,
  task: PoolTask,
  wantsEmbeddings: boolean,
): Promise<ChunkDetail> {
  let embedding: Promise<PackedEmbeddings | null> | undefined;
  const embed = () => {
    if (!wantsEmbeddings) return null;
    const work = embedding ?? models.pool.embed({ pcm, voice }, task);
    // Raised below, if the words do not fail first.
    work.catch(ignore);
    embedding = work;
    return work;
  };
  const { doubted, ...result } = await recogniseWithFallback(models, { pcm, voice, ...words }, task, embed);
  const embeddings = await embed();
  const later = (recognised: ModelResult): ModelResult => ({
    ...recognised,
    pieces: recognised.pieces.map((piece) => ({
      ...piece,
      start: start + piece.start,
      end: start + piece.end,
    })),
  });
  return { ...later(result), start, embeddings, ...(doubted && { doubted: later(doubted) }) };
}

const startPatienceMs = 30_000;

const ignore = () => {};

const starting = () =>
  new TranscriberUnavailable('The speech engine is still starting. Try again in a moment.', {
    retryAfterSeconds: 10,
  });
