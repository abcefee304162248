import { onReachable } from '../lib/connection.ts';
import type { StreamListener, Told } from './told.ts';

const comeAgainMs = 3_000;
const longestWaitMs = 60_000;
/** The server ends each stream after five minutes. One that says nothing for longer is dead. */
const longestMs = 330_000;
/** One that ended sooner was perhaps pushed out by another browser. Opened again at once, it would push out that one. */
const longLivedMs = 60_000;

/** Follows the changes after `cursor`, or from now on, until the result is called. Comes again by itself. */
export function followChanges(cursor: string | undefined, on: StreamListener): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let refusals = 0;
  let readyAt: number | undefined;

  function open(): void {
    close();
    const since = cursor;
    source = new EventSource(
      `/api/v1/changes/events${since === undefined ? '' : `?since=${encodeURIComponent(since)}`}`,
    );
    timer = setTimeout(open, longestMs);
    source.addEventListener('ready', ({ lastEventId }) => {
      const isWhole = cursor !== undefined;
      cursor = lastEventId;
      refusals = 0;
      readyAt = Date.now();
      on.ready(lastEventId, isWhole);
    });
    source.addEventListener('change', ({ lastEventId, data }) => {
      cursor = lastEventId;
      // The contract gives the shape.
      on.change(lastEventId, JSON.parse(data) as Told);
    });
    source.onerror = () => {
      const isRefused = source?.readyState === EventSource.CLOSED;
      const isLongLived = readyAt !== undefined && Date.now() - readyAt > longLivedMs;
      readyAt = undefined;
      on.lost(isRefused);
      if (isRefused) {
        // The cursor may be too old, or of a time before a backup was restored.
        cursor = undefined;
        refusals += 1;
        clearTimeout(timer);
        timer = setTimeout(open, Math.min(longestWaitMs, comeAgainMs * 2 ** (refusals - 1)));
        // Else the browser comes again by itself, when the server said.
      } else if (isLongLived) open();
    };
  }
  function close(): void {
    clearTimeout(timer);
    source?.close();
    source = undefined;
    readyAt = undefined;
  }
  open();
  const forget = onReachable(open);
  return () => {
    forget();
    close();
  };
}
