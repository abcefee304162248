import { readFileSync } from 'node:fs';
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
 * Resolves at the first SIGTERM, SIGINT or SIGHUP. A second one ends the process at once. npm starts us through a shell: a
 * signal to npm alone ends the shell (SIGTERM) or npm (SIGHUP) and never reaches us. So under npm the end of either counts.
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

/**
 * Resolves at the first exception or rejected promise that nothing caught. Without it Node ends the process at once, and of
 * a reason that is no Error it prints only the type. Faults while the server then closes are reported too.
 */
export function uncaughtFault(tell: (fault: unknown) => void): Promise<'broken'> {
  return new Promise((resolve) => {
    const onFault = (fault: unknown) => {
      tell(fault);
      resolve('broken');
    };
    process.on('uncaughtException', onFault).on('unhandledRejection', onFault);
  });
}

function onParentGone(then: () => void): void {
  const parent = process.ppid;
  // `sh -c …`, unless the shell became this process.
  const isShell = about(parent, 'cmdline').split('\0')[1] === '-c';
  const ancestors = () => `${process.ppid} ${isShell ? parentOf(parent) : ''}`;
  const known = ancestors();
  const watch = setInterval(() => {
    if (ancestors() === known) return;
    clearInterval(watch);
    then();
  }, parentCheckMs).unref();
}

/** "123 (name of the program) S 122 …" */
const parentOf = (pid: number) => about(pid, 'stat').split(') ').at(-1)?.split(' ')[1];

/** Empty on other systems than Linux. */
function about(pid: number, file: 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
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
