import { StenoError } from './errors.ts';

export interface Progress {
  done: number;
  /** Seconds until the rate limit lets the next request through. */
  waiting: number | undefined;
}

interface Batches<Item> {
  items: readonly Item[];
  batchSize: number;
  send(batch: Item[]): Promise<void>;
  onProgress(progress: Progress): void;
  signal: AbortSignal;
}

/** Sends batch after batch, waiting when the rate limit says so. */
export async function inBatches<Item>(batches: Batches<Item>): Promise<void> {
  const { items, batchSize, send, onProgress, signal } = batches;
  for (let at = 0; at < items.length && !signal.aborted; ) {
    onProgress({ done: at, waiting: undefined });
    try {
      await send(items.slice(at, at + batchSize));
      at += batchSize;
    } catch (error) {
      if (!(error instanceof StenoError && error.code === 'rate_limited')) throw error;
      const waiting = error.retryAfter ?? 60;
      onProgress({ done: at, waiting });
      await pause(waiting * 1000, signal);
    }
  }
}

/** Ends early when the person stops it. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
