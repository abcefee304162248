/** Tells those who wait that something happened to a recording, within this process. */
export interface News {
  tell(id: string): void;
  /** Resolves with the next news of it, or after this time: another server may have some. */
  wait(id: string, atMostMs: number, signal: AbortSignal): Promise<void>;
  /** What is spoken right now, and may still change; undefined when it is final, or nothing is known. */
  setTail(id: string, tail: SpokenTail | undefined): void;
  tailOf(id: string): SpokenTail | undefined;
  /** Somebody follows it until they call what comes back. */
  follow(id: string): () => void;
  isFollowed(id: string): boolean;
}

export interface SpokenTail {
  start_ms: number;
  text: string;
}

export function createNews(): News {
  const waiting = new Map<string, Set<() => void>>();
  const tails = new Map<string, SpokenTail>();
  const followers = new Map<string, number>();
  return {
    setTail(id, tail) {
      if (tail) tails.set(id, tail);
      else tails.delete(id);
      this.tell(id);
    },
    tailOf: (id) => tails.get(id),
    follow(id) {
      followers.set(id, (followers.get(id) ?? 0) + 1);
      return () => {
        const left = (followers.get(id) ?? 1) - 1;
        if (left > 0) followers.set(id, left);
        else followers.delete(id);
      };
    },
    isFollowed: (id) => followers.has(id),
    tell(id) {
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
