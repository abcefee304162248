import { pcmRate } from '../../../domain/audio.ts';
import { TranscriberUnavailable } from '../../../domain/speech-errors.ts';
import { createFairQueue } from '../../../lib/fair-queue.ts';
import { WorkerFault, type WorkerProcess } from '../../../lib/worker-process.ts';
import type { ChunkTask, EmbedTask, ModelInfo } from '../recogniser.ts';
import { createWorkerLoader, type LoaderOptions } from './load-worker.ts';
import type { WorkerAnswer, WorkerCommand } from './worker.ts';

export interface PoolOptions extends LoaderOptions {
  workers: number;
  /** For one chunk of so many seconds. */
  deadlineMs(seconds: number): number;
  /** Gets the reason when a worker cannot load the model, once for each reason. Another try follows. */
  onProblem?(problem: string): void;
  /** Gets the reason when a loaded worker ends before its time. */
  onFault?: ((reason: string) => void) | undefined;
  /** Gets the seconds that a piece of work took. */
  onWorked?: ((seconds: number) => void) | undefined;
}

export type Pool = ReturnType<typeof createPool>;

export interface PoolTask {
  owner: string;
  /** Waits until nothing else waits. */
  isBackground?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

type Diarize = Extract<WorkerCommand, { kind: 'diarize' }>;
type Work = Extract<WorkerCommand, { kind: 'recognise' | 'embed' }> | Diarize;

type Waiting = PoolTask & {
  command: Work;
  onEncoded: (() => void) | undefined;
  begin(): void;
  resolve(result: WorkerAnswer): void;
  reject(error: unknown): void;
};

const retryLoadMs = 5_000;

/** Keeps the wanted number of workers loaded, hands each chunk to a free one and replaces those that fail. */
export function createPool(options: PoolOptions) {
  const begun = createFairQueue<Waiting>();
  const queue = createFairQueue<Waiting>();
  const later = createFairQueue<Waiting>();
  const free: WorkerProcess[] = [];
  const loader = createWorkerLoader(options);
  const timers = new Set<NodeJS.Timeout>();
  const told = Promise.withResolvers<ModelInfo>();
  told.promise.catch(() => {});
  /** How many there should be, and how many run, load or wait for another try. */
  let wanted = options.workers;
  let kept = wanted;
  let busy = 0;
  let closed = false;
  let problem: string | null = null;

  async function start(): Promise<void> {
    if (closed) return;
    try {
      const { worker, info } = await loader.load();
      problem = null;
      told.resolve(info);
      putBack(worker);
    } catch (error) {
      if (closed) return;
      const reason = error instanceof Error ? error.message : String(error);
      if (reason !== problem) options.onProblem?.(reason);
      problem = reason;
      // The operator may correct a wrong path or free some memory meanwhile.
      const timer = setTimeout(() => {
        timers.delete(timer);
        void start();
      }, retryLoadMs);
      timers.add(timer);
    }
  }

  function putBack(worker: WorkerProcess): void {
    const used = worker.residentBytes();
    if (used !== null && used > options.memoryCapBytes) {
      replace(worker);
      return;
    }
    free.push(worker);
    endSpare();
    if (!free.includes(worker)) return;
    // A worker that ends while it has nothing to do is replaced too.
    void worker.exited.then(() => {
      const at = free.indexOf(worker);
      if (at < 0 || closed) return;
      free.splice(at, 1);
      options.onFault?.('worker ended while it had nothing to do');
      replace(worker);
    });
    serve();
  }

  function endSpare(): void {
    while (kept > wanted && free.length > 0) {
      const worker = free.pop();
      kept -= 1;
      if (worker) loader.discard(worker);
    }
  }

  function replace(worker: WorkerProcess): void {
    loader.discard(worker);
    void start();
  }

  function serve(): void {
    while (free.length > 0 && begun.size + queue.size + later.size > 0) {
      const worker = free.shift();
      const task = (begun.shift() ?? queue.shift() ?? later.shift())?.item;
      if (worker && task) void work(worker, task);
    }
  }

  async function work(worker: WorkerProcess, task: Waiting): Promise<void> {
    busy += 1;
    task.begin();
    const startedAt = performance.now();
    try {
      const result = await worker.request<WorkerAnswer>({
        messages: [task.command],
        deadlineMs: options.deadlineMs(secondsOf(task.command)),
        signal: task.signal,
        receive(message) {
          const answer = message as WorkerAnswer;
          if (answer.kind === 'failed') throw new WorkerFault('crashed', answer.message);
          if (answer.kind !== 'encoded') return answer;
          task.onEncoded?.();
          return undefined;
        },
      });
      busy -= 1;
      options.onWorked?.((performance.now() - startedAt) / 1_000);
      putBack(worker);
      task.resolve(result);
    } catch (error) {
      busy -= 1;
      if (!closed && !task.signal?.aborted)
        options.onFault?.(error instanceof Error ? error.message : String(error));
      if (!closed) replace(worker);
      task.reject(task.signal?.aborted ? task.signal.reason : unavailable(error));
    }
  }

  function run(command: Work, task: PoolTask, onEncoded?: () => void): Promise<WorkerAnswer> {
    if (closed) return Promise.reject(unavailable(new WorkerFault('closed', 'the pool is closed')));
    if (task.signal?.aborted) return Promise.reject(task.signal.reason);
    const line = command.kind === 'embed' ? begun : task.isBackground ? later : queue;
    return new Promise<WorkerAnswer>((resolve, reject) => {
      const leave = () => {
        if (line.remove((item) => item === waiting).length > 0) reject(task.signal?.reason);
      };
      const waiting: Waiting = {
        ...task,
        command,
        onEncoded,
        resolve,
        reject,
        begin: () => task.signal?.removeEventListener('abort', leave),
      };
      task.signal?.addEventListener('abort', leave, { once: true });
      line.push(task.owner, waiting);
      serve();
    });
  }

  async function ask<Kind extends WorkerAnswer['kind']>(kind: Kind, ...work: Parameters<typeof run>) {
    const answer = await run(...work);
    if (answer.kind !== kind) throw unavailable(new Error(`the worker answered ${answer.kind}`));
    // As the line above has checked.
    return answer as Extract<WorkerAnswer, { kind: Kind }>;
  }

  for (let i = 0; i < options.workers; i++) void start();

  return {
    /** Makes room for another model: one worker, if there are several, ends when it is free, until it is taken back. */
    lendWorker(): void {
      wanted = Math.max(1, options.workers - 1);
      endSpare();
    },
    takeWorkerBack(): void {
      wanted = options.workers;
      for (; kept < wanted; kept++) void start();
    },
    /** Of the model that the first worker loaded; rejects when the pool closes before. */
    info: told.promise,
    /** Calls `onEncoded`, once, when it leaves a core free. */
    recognise: async (chunk: ChunkTask, task: PoolTask, onEncoded?: () => void) =>
      (await ask('recognised', { kind: 'recognise', chunk }, task, onEncoded)).recognised,
    /** Before all that waits: it ends what has begun. */
    embed: async (chunk: EmbedTask, task: PoolTask) =>
      (await ask('embedded', { kind: 'embed', chunk }, task)).embeddings,
    /** Who speaks when in a recording: some tenths of a second of work for an hour, so not in the server. */
    diarize: async (embeddings: Omit<Diarize, 'kind'>, task: PoolTask) =>
      (await ask('diarized', { kind: 'diarize', ...embeddings }, task)).turns,
    state: () => ({ wanted, ready: free.length + busy, busy, problem }),
    async close(): Promise<void> {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
      const fault = unavailable(new WorkerFault('closed', 'the pool is closed'));
      told.reject(fault);
      for (const line of [begun, queue, later])
        for (const { reject } of line.remove(() => true)) reject(fault);
      await loader.close();
    },
  };
}

const secondsOf = (command: Work) => (command.kind === 'diarize' ? 0 : command.chunk.pcm.length / pcmRate);

const unavailable = (cause: unknown) =>
  new TranscriberUnavailable('The speech engine failed on this recording. Try again in a moment.', {
    retryAfterSeconds: 5,
    cause,
  });
