import { abortable } from '../../lib/abortable.ts';

/** Lets work that can wait begin only while nothing urgent is under way: Steno does not know the queue of another server. */
export function createPrecedence() {
  let urgent = 0;
  const waiting = new Set<() => void>();

  return {
    async urgently<Result>(work: () => Promise<Result>): Promise<Result> {
      urgent += 1;
      try {
        return await work();
      } finally {
        urgent -= 1;
        if (urgent === 0) for (const begin of waiting) begin();
      }
    },
    /** Raises the signal's reason. */
    async whenFree(signal: AbortSignal | undefined): Promise<void> {
      while (urgent > 0) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await abortable(promise, signal).finally(() => waiting.delete(resolve));
      }
    },
  };
}
