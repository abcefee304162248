import { Worker } from 'node:worker_threads';

const checkMs = 2_000;

/** Runs in a second thread, because native code may block the main one for ever. Kills the process if its parent is gone. */
const watch = `
  const parent = ${process.ppid};
  setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL'); }, ${checkMs});
`;

/**
 * Ends this process when its parent ends. Normally the closed channel is enough. A process that is stuck in native code is
 * ended by the system (box.ts) or else by a thread: two such workers of 290 MB each once outlived their server by 20 minutes.
 */
export function endWithParent(): void {
  process.on('disconnect', () => process.exit());
  if (process.permission?.has('worker') === false) return;
  new Worker(watch, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8 } }).unref();
  // From here on nothing else may start a thread. The types do not know `drop` yet.
  const { permission }: { permission?: object } = process;
  if (permission && 'drop' in permission && typeof permission.drop === 'function') permission.drop('worker');
}
