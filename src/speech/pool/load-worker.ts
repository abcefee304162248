import { scriptUrl } from '../../lib/program.ts';
import { startWorkerProcess, type WorkerProcess } from '../../lib/worker-process.ts';
import type { ModelInfo } from '../recogniser.ts';
import type { ModelFile } from './model-file.ts';
import type { WorkerAnswer, WorkerCommand } from './worker.ts';

export interface LoaderOptions {
  model: () => Promise<ModelFile>;
  /** Whether the workers can describe voices. */
  hasVoices: boolean;
  /** For each worker. */
  threads: number;
  /** Where a worker may keep what it made of the model. */
  cacheFolders: readonly string[];
  memoryCapBytes: number;
  /** The worker's code; tests give one that misbehaves. */
  script?: URL;
}

/** Two minutes, and more for a large model: 10 MB a second, to read it and to write its graphs. */
const deadlineMs = ({ bytes }: ModelFile) => 120_000 + bytes / 10_000;
/**
 * To the C library of Linux: give buffers above 4 MB back when they are freed, and take memory in large pages. A worker
 * has 261 MB at rest (291 without) and an 11 s clip 784 page faults; above 1 MB, in small pages, 244 MB and 22,106.
 */
const giveMemoryBack = { MALLOC_MMAP_THRESHOLD_: '4000000', GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' };

/** Starts worker processes with the model in them, and knows those that live. */
export function createWorkerLoader(options: LoaderOptions) {
  const { threads, cacheFolders, hasVoices, memoryCapBytes } = options;
  const shared = { script: options.script ?? scriptUrl('speech/pool/worker'), memoryCapBytes };
  const alive = new Set<WorkerProcess>();
  let hashChecked = false;
  let prepared: Promise<void> | undefined;
  let closed = false;

  async function load(): Promise<{ worker: WorkerProcess; info: ModelInfo }> {
    const model = await options.model();
    const worker = start({ read: [model.path, ...cacheFolders], env: giveMemoryBack });
    try {
      const command = { kind: 'load', model, threads, cacheFolders, hasVoices } as const;
      let answer = await ask(worker, { ...command, checkHash: !hashChecked, isPrepared: false });
      if (answer.kind === 'unprepared') {
        prepared ??= prepare(model).catch((error: unknown) => {
          prepared = undefined;
          throw error;
        });
        await prepared;
        answer = await ask(worker, { ...command, checkHash: !hashChecked, isPrepared: true });
      }
      if (answer.kind !== 'ready') throw new Error(`the worker answered ${answer.kind}`);
      hashChecked = true;
      return { worker, info: answer.info };
    } catch (error) {
      discard(worker);
      throw error;
    }
  }

  /** Once, when a worker finds no graphs: it may read the cache and not write to it. */
  async function prepare(model: ModelFile): Promise<void> {
    const keeper = start({ read: [model.path], write: cacheFolders });
    try {
      const answer = await ask(keeper, { kind: 'prepare', model, cacheFolders });
      if (answer.kind !== 'prepared') throw new Error(`the worker answered ${answer.kind}`);
      hashChecked = answer.isCached;
    } finally {
      discard(keeper);
    }
  }

  function start(rights: Pick<Parameters<typeof startWorkerProcess>[0], 'read' | 'write' | 'env'>) {
    if (closed) throw new Error('no worker is started any more');
    const worker = startWorkerProcess({ ...shared, ...rights });
    alive.add(worker);
    return worker;
  }

  const ask = (worker: WorkerProcess, command: Extract<WorkerCommand, { kind: 'load' | 'prepare' }>) =>
    worker.request<WorkerAnswer>({
      messages: [command],
      deadlineMs: deadlineMs(command.model),
      receive(message) {
        const answer = message as WorkerAnswer;
        if (answer.kind === 'failed') throw new Error(answer.message);
        return answer;
      },
    });

  function discard(worker: WorkerProcess): void {
    alive.delete(worker);
    worker.kill();
  }

  return {
    load,
    discard,
    async close(): Promise<void> {
      closed = true;
      const stopping = [...alive];
      for (const worker of stopping) discard(worker);
      await Promise.all(stopping.map(({ exited }) => exited));
    },
  };
}
