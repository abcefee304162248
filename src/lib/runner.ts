/** The job is released, or belongs to another server. */
export class JobLost extends Error {}
/** The job goes back into the queue, and on from where it is. */
export class TurnOver extends Error {}

interface RunningJob {
  stop: AbortController;
  ended: Promise<void>;
}

interface Options {
  /** Claims what there is to do, and calls `begin` for it. */
  look(): Promise<void>;
  /** For what other servers queued, and what waits after a fault. */
  lookEveryMs: number;
  /** `look` failed; it runs again. */
  onFault(cause: unknown): void;
}

/** Runs the jobs of a queue that several servers share. Call `wake` once everything is there. */
export function createRunner<Job extends object>({ look, lookEveryMs, onFault }: Options) {
  const running = new Map<string, RunningJob & Job>();
  let looking: Promise<void> | undefined;
  let isWoken = false;
  let isClosed = false;

  async function lookUntilDone(): Promise<void> {
    do {
      isWoken = false;
      await look();
    } while (isWoken && !isClosed);
  }

  function wake(): void {
    isWoken = true;
    if (isClosed || looking) return;
    looking = lookUntilDone()
      .catch(onFault)
      .finally(() => {
        looking = undefined;
      });
  }
  const timer = setInterval(wake, lookEveryMs).unref();

  return {
    running,
    isClosed: () => isClosed,
    /** There is something new in the queue. */
    wake,
    /** `work` never rejects. */
    begin(id: string, job: Job, work: (signal: AbortSignal) => Promise<void>): void {
      const stop = new AbortController();
      const ended = work(stop.signal).finally(() => {
        running.delete(id);
        wake();
      });
      running.set(id, { ...job, stop, ended });
    },
    stop: (id: string, reason: Error) => running.get(id)?.stop.abort(reason),
    /** Puts back what is under way; another server, or the next start, goes on. */
    async close(): Promise<void> {
      isClosed = true;
      clearInterval(timer);
      await looking;
      for (const { stop } of running.values()) stop.abort(new TurnOver());
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}
