/** Wakes those who follow a job, within this process, and holds what it has so far. */
export interface Signals<Partial> {
  notify(id: string): void;
  /** Resolves at the next `notify`, or after this time: another server may have changed it. */
  wait(id: string, atMostMs: number, signal: AbortSignal): Promise<void>;
  /** What may still change; undefined once it is final. */
  setPartial(id: string, partial: Partial | undefined): void;
  partialOf(id: string): Partial | undefined;
  /** Counts a follower until the function that it returns is called. */
  follow(id: string): () => void;
  isFollowed(id: string): boolean;
}

export function createSignals<Partial>(): Signals<Partial> {
  const waiting = new Map<string, Set<() => void>>();
  const partials = new Map<string, Partial>();
  const followers = new Map<string, number>();
  return {
    setPartial(id, partial) {
      if (partial) partials.set(id, partial);
      else partials.delete(id);
      this.notify(id);
    },
    partialOf: (id) => partials.get(id),
    follow(id) {
      followers.set(id, (followers.get(id) ?? 0) + 1);
      return () => {
        const left = (followers.get(id) ?? 1) - 1;
        if (left > 0) followers.set(id, left);
        else followers.delete(id);
      };
    },
    isFollowed: (id) => followers.has(id),
    notify(id) {
      for (const wake of waiting.get(id) ?? []) wake();
    },
    wait(id, atMostMs, signal) {
      return new Promise((resolve) => {
        const waiters = waiting.get(id) ?? new Set();
        const wake = () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', wake);
          waiters.delete(wake);
          if (waiters.size === 0) waiting.delete(id);
          resolve();
        };
        const timer = setTimeout(wake, atMostMs);
        waiting.set(id, waiters.add(wake));
        signal.addEventListener('abort', wake, { once: true });
        if (signal.aborted) wake();
      });
    },
  };
}
