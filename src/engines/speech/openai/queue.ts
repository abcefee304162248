import { setTimeout as sleep } from 'node:timers/promises';
import { abortable } from '../../../lib/fair-queue.ts';

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

/** Another program uses the same key; a chunk takes seconds. */
const askAgainMs = 500;

/**
 * Some servers take one request of a key at a time and answer 409 to the next; another Steno does. After the first 409 all
 * requests go one after the other.
 */
export function createTurns() {
  let isOneAtATime = false;
  const together = new Set<Promise<unknown>>();
  let last: Promise<unknown> = Promise.resolve();

  return async function inTurn<Response extends { status: number }>(
    send: () => Promise<Response>,
    signal: AbortSignal,
  ): Promise<Response> {
    if (!isOneAtATime) {
      const sent = send();
      together.add(sent);
      const response = await sent.finally(() => together.delete(sent));
      if (response.status !== 409) return response;
      if (!isOneAtATime) last = Promise.allSettled(together);
      isOneAtATime = true;
    }
    const before = last;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    last = before.then(() => ended);
    try {
      await abortable(before, signal);
      for (;;) {
        const response = await send();
        if (response.status !== 409) return response;
        await sleep(askAgainMs, undefined, { signal });
      }
    } finally {
      end();
    }
  };
}
