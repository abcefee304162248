import { describeFault, type Log } from '../lib/log.ts';

const hourMs = 3_600_000;

/** What a server does by itself, at the start and every hour or so. Several replicas may do it at once. */
export function createHousekeeping(
  tasks: Record<string, () => Promise<unknown>>,
  log: Log,
  everyMs = hourMs,
) {
  let running = Promise.resolve();

  async function runAll(): Promise<void> {
    for (const [task, run] of Object.entries(tasks))
      await run().catch((cause: unknown) =>
        log.warn({ task, fault: describeFault(cause) }, 'Housekeeping failed; will try again'),
      );
  }

  const run = () => {
    running = running.then(runAll);
  };
  run();
  const timer = setInterval(run, everyMs).unref();

  return {
    async close(): Promise<void> {
      clearInterval(timer);
      await running;
    },
  };
}
