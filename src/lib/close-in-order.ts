import { setTimeout as sleep } from 'node:timers/promises';
import { describeFault, type Log } from './log.ts';

interface Options {
  log: Log;
  /** Whether the fault only means that the database is away, which is no bug. */
  isPassing(fault: unknown): boolean;
  /** For each step. */
  withinMs: number;
}

/**
 * Runs all steps, one after the other, even if one fails or does not end: a stop must not hang on a database that is
 * away. The log says what was not saved. After the last step, raises the first fault that is not temporary.
 */
export async function closeInOrder(
  steps: Record<string, () => Promise<void>>,
  { log, isPassing, withinMs }: Options,
): Promise<void> {
  const faults: unknown[] = [];
  for (const [unsaved, close] of Object.entries(steps)) {
    const ended = new AbortController();
    const late = sleep(withinMs, undefined, { signal: ended.signal }).then(
      () => log.warn({ unsaved }, 'Stopped without waiting for this any longer'),
      // It closed in time.
      () => {},
    );
    const closed = close().catch((fault: unknown) => {
      log.warn({ unsaved, fault: describeFault(fault) }, 'Stopped without saving this');
      if (!isPassing(fault)) faults.push(fault);
    });
    await Promise.race([closed, late]);
    ended.abort();
  }
  if (faults.length > 0) throw faults[0];
}
