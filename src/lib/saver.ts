import { describeFault, type Log } from './log.ts';

interface Options<Value> {
  readonly everyMs: number;
  readonly log: Log;
  /** What is saved, for the log. */
  readonly what: string;
  save(batch: ReadonlyMap<string, Value>): Promise<void>;
  /** Puts back what could not be saved; meanwhile there may be a newer value. */
  putBack(name: string, value: Value): void;
}

/** Saves a map of what changes with every call now and then, so that a call causes no write. A crash loses what is not saved. */
export function saveLater<Value>(
  pending: Map<string, Value>,
  { everyMs, log, what, save, putBack }: Options<Value>,
) {
  const timer = setInterval(() => {
    saveNow().catch((cause: unknown) =>
      log.warn({ fault: describeFault(cause) }, `Could not save ${what}; will try again`),
    );
  }, everyMs).unref();

  async function saveNow(): Promise<void> {
    if (pending.size === 0) return;
    const batch = new Map(pending);
    pending.clear();
    try {
      await save(batch);
    } catch (cause) {
      for (const [name, value] of batch) putBack(name, value);
      throw cause;
    }
  }

  return {
    saveNow,
    async close(): Promise<void> {
      clearInterval(timer);
      await saveNow();
    },
  };
}
