import { scriptUrl } from '../../../lib/program.ts';
import { startWorkerProcess, type WorkerProcess } from '../../../lib/worker-process.ts';
import type { ModelInfo } from '../recogniser.ts';
import type { ModelFile } from './model-file.ts';
import { prepareModel } from './prepare-model.ts';
import type { WorkerAnswer, WorkerCommand } from './worker.ts';

export interface LoaderOptions {
  model: () => Promise<ModelFile>;
  /** Whether the workers compute speaker embeddings. */
  hasDiarization: boolean;
  /** For each worker. */
  threads: number;
  /** Where prepared models are. */
  cacheFolders: readonly string[];
  memoryCapBytes: number;
  /** Gets the model's name when it must be prepared first, which takes seconds. */
  onPreparing?: ((model: string) => void) | undefined;
  /** The worker's code; tests give one that misbehaves. */
  script?: URL;
}

/** Two minutes, and more for a large model: 10 MB a second, to read it and to write its graphs. */
const deadlineMs = ({ bytes }: ModelFile) => 120_000 + Math.ceil(bytes / 10_000);
/**
 * To the C library of Linux: give buffers above 4 MB back when they are freed, and take memory in large pages. A worker
 * has 261 MB at rest (291 without) and an 11 s clip 784 page faults; above 1 MB, in small pages, 244 MB and 22,106.
 */
const giveMemoryBack = { MALLOC_MMAP_THRESHOLD_: '4000000', GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' };

/** Starts worker processes with the model in them, and knows those that live. */
export function createWorkerLoader(options: LoaderOptions) {
  const { threads, cacheFolders, hasDiarization, memoryCapBytes } = options;
  const shared = { script: options.script ?? scriptUrl('src/engines/speech/pool/worker.ts'), memoryCapBytes };
  const alive = new Set<WorkerProcess>();
  let hashChecked = false;
  let prepared: Promise<void> | undefined;
  const stop = new AbortController();

  async function load(): Promise<{ worker: WorkerProcess; info: ModelInfo }> {
    const model = await options.model();
    const worker = start({ read: [model.path, ...cacheFolders], env: giveMemoryBack });
    try {
      const command = { kind: 'load', model, threads, cacheFolders, hasDiarization } as const;
      let answer = await ask(worker, { ...command, checkHash: !hashChecked });
      if (answer.kind === 'unprepared') {
        const { paths } = answer;
        prepared ??= prepare(model, paths).finally(() => {
          prepared = undefined;
        });
        await prepared;
        answer = await ask(worker, { ...command, checkHash: !hashChecked });
      }
      if (answer.kind !== 'ready') throw new Error(`the worker answered ${answer.kind}`);
      hashChecked = true;
      return { worker, info: answer.info };
    } catch (error) {
      discard(worker);
      throw error;
    }
  }

  /** A worker may read the folders of prepared models, and not write to them. */
  async function prepare(model: ModelFile, paths: readonly string[]): Promise<void> {
    options.onPreparing?.(model.name);
    for (const path of paths)
      await prepareModel(path === model.path ? model : { path, sha256: null }, cacheFolders, {
        memoryCapBytes,
        timeout: deadlineMs(model),
        signal: stop.signal,
      });
  }

  function start(rights: Pick<Parameters<typeof startWorkerProcess>[0], 'read' | 'env'>) {
    if (stop.signal.aborted) throw new Error('no worker is started any more');
    const worker = startWorkerProcess({ ...shared, ...rights });
    alive.add(worker);
    return worker;
  }

  const ask = (worker: WorkerProcess, command: Extract<WorkerCommand, { kind: 'load' }>) =>
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
      stop.abort();
      const stopping = [...alive];
      for (const worker of stopping) discard(worker);
      await Promise.all(stopping.map(({ exited }) => exited));
    },
  };
}
