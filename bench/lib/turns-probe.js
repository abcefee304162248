// Loaded into the server: how long each turn of its event loop takes. SIGUSR2 writes the longest ones since the last time.
import { openSync, readSync, renameSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const file = process.env.BENCH_TURNS_FILE;
const lookEveryMs = 1;
const nothing = { turnMs: 0, ownTurnMs: 0, computedMs: 0 };

/** How long this thread could have run, and other programs had the cores (Linux). Elsewhere all time counts as its own. */
function createStarved() {
  try {
    const [fd, bytes] = [openSync('/proc/thread-self/schedstat', 'r'), Buffer.alloc(64)];
    return () => Number(bytes.latin1Slice(0, readSync(fd, bytes, 0, 64, 0)).split(' ')[1]) / 1e6;
  } catch {
    return () => 0;
  }
}

// Threads of the server load this too.
if (isMainThread && file) {
  const starvedMs = createStarved();
  const now = () => {
    const { user, system } = process.threadCpuUsage();
    return { atMs: performance.now(), computedMs: (user + system) / 1000, starvedMs: starvedMs() };
  };
  let longest = { ...nothing };
  let before = now();
  setInterval(() => {
    const after = now();
    const turnMs = after.atMs - before.atMs - lookEveryMs;
    longest.turnMs = Math.max(longest.turnMs, turnMs);
    longest.ownTurnMs = Math.max(longest.ownTurnMs, turnMs - (after.starvedMs - before.starvedMs));
    longest.computedMs = Math.max(longest.computedMs, after.computedMs - before.computedMs);
    before = after;
  }, lookEveryMs).unref();
  process.on('SIGUSR2', () => {
    writeFileSync(`${file}.part`, JSON.stringify(longest));
    renameSync(`${file}.part`, file);
    longest = { ...nothing };
  });
}
