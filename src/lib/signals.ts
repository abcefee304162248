export type Signals<Partial> = ReturnType<typeof createSignals<Partial>>;

/** Wakes the followers of a job within this process, and holds what it has so far. */
export function createSignals<Partial>() {
  const waiting = new Map<string, Set<() => void>>();
  const partials = new Map<string, Partial>();
  const followers = new Map<string, number>();
  const notify = (id: string): void => {
    for (const wake of waiting.get(id) ?? []) wake();
  };
  return {
    notify,
    /** What may still change; undefined once it is final. */
    setPartial(id: string, partial: Partial | undefined): void {
      if (partial) partials.set(id, partial);
      else partials.delete(id);
      notify(id);
    },
    partialOf: (id: string) => partials.get(id),
    /** Counts a follower until the function that it returns is called. */
    follow(id: string): () => void {
      followers.set(id, (followers.get(id) ?? 0) + 1);
      return () => {
        const left = (followers.get(id) ?? 1) - 1;
        if (left > 0) followers.set(id, left);
        else followers.delete(id);
      };
    },
    isFollowed: (id: string) => followers.has(id),
    /** Resolves at the next `notify`, or after this time: another server may have changed it. */
    wait(id: string, atMostMs: number, signal: AbortSignal): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
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
      return promise;
    },
  };
}
