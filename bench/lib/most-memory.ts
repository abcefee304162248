import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOfTree } from './process-tree.ts';

/** The memory of a server with all its processes, before some work and at most while it goes on. */
export async function mostMemory(pid: number, work: () => Promise<unknown>) {
  const before = memoryOfTree(pid);
  let most = before;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      most = Math.max(most, memoryOfTree(pid));
      await sleep(100);
    }
  })();
  await work();
  isOver = true;
  await watching;
  return { before, most };
}

export const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
