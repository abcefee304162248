import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { fetchOk } from './load.ts';

export interface Watched {
  url: string;
  headers: Record<string, string>;
}

/** Asks each address again and again from a thread of its own, because whoever sends 25 MB has no time to look at the clock. */
export function watchAnswers(watched: Watched[]) {
  const thread = new Worker(new URL(import.meta.url), { workerData: watched });
  return {
    /** The slowest answer of each since the last call, in ms. */
    slowest(): Promise<number[]> {
      thread.postMessage('slowest');
      return new Promise((resolve) => thread.once('message', resolve));
    },
    end: () => thread.terminate(),
  };
}

async function watch({ url, headers }: Watched, tell: (ms: number) => void): Promise<never> {
  for (;;) {
    const started = performance.now();
    await fetchOk(url, { headers });
    tell(performance.now() - started);
    await sleep(20);
  }
}

if (!isMainThread) {
  const watched: Watched[] = workerData;
  let most = watched.map(() => 0);
  parentPort?.on('message', () => {
    parentPort?.postMessage(most);
    most = watched.map(() => 0);
  });
  watched.forEach((one, at) => {
    void watch(one, (ms) => {
      most[at] = Math.max(most[at] ?? 0, ms);
    });
  });
}
