/**
 * Loaded before a server (`node --import`), and asked by the fuzzer through the channel to its parent. Processor time is
 * counted and not the clock's, so that a busy machine blames nobody.
 */
export interface Watched {
  /** The most processor time that one turn of the event loop took since the last question. */
  longestTurnMs: number;
  /** What the objects of JavaScript hold after a full collection. */
  heldBytes: number;
}

const tickMs = 10;
let longestTurnMs = 0;
let last = process.threadCpuUsage();

setInterval(() => {
  const { user, system } = process.threadCpuUsage(last);
  longestTurnMs = Math.max(longestTurnMs, (user + system) / 1_000);
  last = process.threadCpuUsage();
}, tickMs).unref();

process.on('message', () => {
  const answer = { longestTurnMs };
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ ...answer, heldBytes: heapUsed + external } satisfies Watched);
  longestTurnMs = 0;
  last = process.threadCpuUsage();
});
// The channel must not keep the server alive.
process.channel?.unref();
