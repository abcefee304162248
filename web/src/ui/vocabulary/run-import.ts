import { ApiError } from '../../api/errors.ts';

export interface ImportProgress {
  done: number;
  /** Seconds until the rate limit lets the next request through. */
  waiting: number | undefined;
}

interface Run<Item> {
  items: readonly Item[];
  batchSize: number;
  /** How many of the batch were new. */
  send(batch: Item[]): Promise<number>;
  onProgress(progress: ImportProgress): void;
  signal: AbortSignal;
}

/** Sends batch after batch, waiting when the rate limit says so. Returns how many items were new. */
export async function runImport<Item>({ items, batchSize, send, onProgress, signal }: Run<Item>) {
  let added = 0;
  for (let at = 0; at < items.length && !signal.aborted; ) {
    onProgress({ done: at, waiting: undefined });
    try {
      added += await send(items.slice(at, at + batchSize));
      at += batchSize;
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'rate_limited')) throw error;
      const waiting = error.retryAfterSeconds ?? 60;
      onProgress({ done: at, waiting });
      await pause(waiting * 1000, signal);
    }
  }
  return added;
}

/** Ends early when the person stops the import. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', () => {
    clearTimeout(timer);
    resolve();
  });
  return promise;
}
