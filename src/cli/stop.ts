import type { Server } from 'node:http';
import { constants } from 'node:os';

/** After this, running requests are cut off, so that there is time to write the counters and close the database. */
const requestsDeadlineMs = 7_000;
const exitDeadlineMs = 9_000;
const idleCheckMs = 50;
const parentCheckMs = 500;
/** Under npm, one Ctrl-C arrives twice: from the terminal and from npm. A person's second one comes later. */
const sameSignalMs = 300;
/** SIGHUP: the terminal was closed. */
const stopSignals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/**
 * Resolves at the first SIGTERM, SIGINT or SIGHUP. A second one ends the process at once. npm starts us through a shell: a signal to
 * npm alone ends the shell and never reaches us. So under npm the end of our parent counts as a signal.
 */
export function stopSignal({ underNpm }: { underNpm: boolean }): Promise<void> {
  return new Promise((resolve) => {
    if (underNpm) onParentGone(resolve);
    let firstAt: number | undefined;
    const onSignal = (signal: (typeof stopSignals)[number]) => {
      const now = performance.now();
      firstAt ??= now;
      if (now === firstAt) resolve();
      else if (now - firstAt > sameSignalMs) process.exit(128 + constants.signals[signal]);
    };
    for (const signal of stopSignals) process.on(signal, onSignal);
  });
}

function onParentGone(then: () => void): void {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    then();
  }, parentCheckMs).unref();
}

/** Runs `close`, which waits for all connections, and makes sure that none of them blocks it for ever. */
export async function withinDeadline(server: Server, close: () => Promise<void>): Promise<void> {
  // A connection that was busy when the stop began stays open after its answer, waiting for the next request.
  const sweep = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  const cut = setTimeout(() => server.closeAllConnections(), requestsDeadlineMs);
  const giveUp = setTimeout(() => {
    console.error('Steno could not close everything in time. All acknowledged writes are on disk.');
    process.exit(1);
  }, exitDeadlineMs);
  try {
    await close();
  } finally {
    clearInterval(sweep);
    clearTimeout(cut);
    clearTimeout(giveUp);
  }
}
