import { TranscriberUnavailable } from '../../../domain/speech-errors.ts';
import { leastSureness, sureness } from '../languages.ts';
import type { ChunkTask, ModelInfo, Recognised } from '../recogniser.ts';
import type { ModelFile } from './model-file.ts';
import { createPool, type Pool, type PoolOptions, type PoolTask } from './pool.ts';

/** It is loaded in about a second, so it need not wait for the next chunk for long. */
const defaultIdleMs = 60_000;
/** After a failure; until then every chunk would wait for the next one. */
const restMs = 60_000;

interface FallbackOptions extends Omit<PoolOptions, 'model' | 'workers' | 'hasDiarization' | 'onProblem'> {
  model: ModelFile;
  idleMs?: number | undefined;
  /** Its process takes as much memory as two others. */
  onStart(): void;
  onStop(): void;
}

export type FallbackModel = ReturnType<typeof createFallbackModel>;

/** A larger model that knows other languages too, in a process of its own while a recording needs it. */
export function createFallbackModel(given: FallbackOptions) {
  const { model, idleMs = defaultIdleMs, onStart, onStop, ...options } = given;
  let running: Running | undefined;
  let asked = 0;
  let restsUntil = 0;
  let closing: Promise<unknown> = Promise.resolve();

  function start(): Running {
    onStart();
    const failed = Promise.withResolvers<never>();
    failed.promise.catch(() => {});
    const pool = createPool({
      ...options,
      model: async () => model,
      workers: 1,
      hasDiarization: false,
      onProblem(problem) {
        restsUntil = performance.now() + restMs;
        stop();
        failed.reject(unavailable(problem));
      },
    });
    return { pool, failed: failed.promise };
  }

  function stop(): void {
    clearTimeout(running?.idle);
    if (!running) return;
    closing = Promise.all([closing, running.pool.close()]).then(onStop);
    running = undefined;
  }

  return {
    name: model.name,
    languages: model.languages,
    /** Finds out the language, if none is named. Raises TranscriberUnavailable where it cannot be loaded or fails. */
    async recognise(chunk: ChunkTask, task: PoolTask): Promise<Recognised> {
      if (performance.now() < restsUntil) throw unavailable('it could not be loaded a moment ago');
      running ??= start();
      const { pool, failed, idle } = running;
      clearTimeout(idle);
      asked += 1;
      try {
        return await Promise.race([pool.recognise(chunk, task), failed]);
      } finally {
        asked -= 1;
        if (asked === 0 && running) running.idle = setTimeout(stop, idleMs).unref();
      }
    },
    async close(): Promise<void> {
      restsUntil = Number.POSITIVE_INFINITY;
      stop();
      await closing;
    },
  };
}

interface Running {
  pool: Pool;
  /** Rejects when the model cannot be loaded. */
  failed: Promise<never>;
  idle?: NodeJS.Timeout;
}

const unavailable = (why: string) =>
  new TranscriberUnavailable(
    'The model for other languages cannot be used right now. Try again in a moment.',
    {
      retryAfterSeconds: 60,
      cause: new Error(why),
    },
  );

export interface Models {
  pool: Pool;
  fallback: FallbackModel | null;
}

export interface ModelResult extends Recognised {
  /** That gave the words, if it was not the first one. */
  model?: string;
  /** What the fallback model recognised in another language, if it was unsure of it. */
  doubted?: ModelResult;
}

/** The fallback model knows what the first one knows. It runs on ONNX Runtime only. */
export const knownLanguages = (first: ModelInfo, fallback: FallbackModel | null) =>
  fallback && first.runtime === 'ONNX Runtime' ? fallback.languages : first.languages;

export const isOneLanguage = ({ languages }: ModelInfo) => languages.length === 1;

/** The mean score of good English is higher (0.68 and more in 49 recordings), and the score of most foreign speech lower. */
const unsure = 0.7;

/**
 * Recognises with the first model. Where that is unsure, the fallback model recognises the chunk too; a language that
 * only the fallback model knows is left to it alone (docs/decisions/0170-second-hearing.md).
 */
export async function recogniseWithFallback(
  { pool, fallback }: Models,
  chunk: ChunkTask,
  task: PoolTask,
  onEncoded: () => void,
): Promise<ModelResult> {
  const again = async (model: FallbackModel) => ({
    ...(await model.recognise(chunk, task)),
    model: model.name,
  });
  const named = chunk.language;
  const { languages: own } = await pool.info;
  if (fallback && named !== undefined && !own.includes(named)) return again(fallback);
  const first = await pool.recognise(chunk, task, onEncoded);
  if (!fallback || named !== undefined || !isUnsure(first)) return first;
  try {
    return betterOf(first, await again(fallback), own);
  } catch (error) {
    if (task.signal?.aborted) throw error;
    // The words of the first model are worth more than nothing.
    return first;
  }
}

const isUnsure = ({ pieces, language }: Recognised) =>
  language === null || (pieces.length > 0 && sureness(pieces) < unsure);

/**
 * In a language of the first model the larger one is right more often. In another it must be sure of what it says, or
 * others of the same recording must be in that language too.
 */
function betterOf(first: Recognised, again: ModelResult, own: readonly string[]): ModelResult {
  const isOwn = again.language !== null && own.includes(again.language);
  if (isOwn) return again.pieces.length > 0 ? again : first;
  return sureness(again.pieces) >= leastSureness ? again : { ...first, language: null, doubted: again };
}
