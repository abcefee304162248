import { TranscriberUnavailable } from '../../domain/speech-errors.ts';
import type { ChunkTask, Recognised } from '../recogniser.ts';
import type { ModelFile } from './model-file.ts';
import { createPool, type Pool, type PoolOptions, type PoolTask } from './pool.ts';

/** A larger model that knows other languages too, in a process of its own while somebody needs it. */
export interface SecondModel {
  readonly name: string;
  readonly languages: readonly string[];
  /** Finds out the language, if none is named. Raises TranscriberUnavailable where it cannot be loaded or fails. */
  recognise(chunk: ChunkTask, task: PoolTask): Promise<Recognised>;
  close(): Promise<void>;
}

/** It is loaded in about a second, so it need not wait for the next chunk for long. */
const defaultIdleMs = 60_000;
/** After a failure; until then every chunk would wait for the next one. */
const restMs = 60_000;

interface SecondOptions extends Omit<PoolOptions, 'model' | 'workers' | 'hasVoices' | 'onProblem'> {
  model: ModelFile;
  idleMs?: number | undefined;
  /** Its process takes as much memory as two others. */
  onStart(): void;
  onStop(): void;
}

export function createSecondModel(given: SecondOptions): SecondModel {
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
      hasVoices: false,
      onProblem(problem) {
        restsUntil = Date.now() + restMs;
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
    async recognise(chunk, task) {
      if (Date.now() < restsUntil) throw unavailable('it could not be loaded a moment ago');
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
    async close() {
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
