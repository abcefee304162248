import { follow } from '@steno/sdk';
import { api } from '../api/client.ts';
import type { StreamListener } from './told.ts';

const comeAgainMs = 3_000;
const longestWaitMs = 60_000;

/** Follows the changes after `cursor`, or from now on, until the result is called. Comes again by itself. */
export function followChanges(cursor: string | undefined, on: StreamListener): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  async function run(): Promise<void> {
    let last = cursor;
    for (let refusals = 0; !signal.aborted; refusals += 1)
      try {
        const options = { lastEventId: last, signal, onLost: () => on.lost(false) };
        for await (const { event, data, id = '' } of follow(api, '/api/v1/changes/events', options)) {
          if (event === 'ready') on.ready(id, last !== undefined);
          else on.change(id, data);
          last = id;
          refusals = 0;
        }
      } catch {
        // The cursor may be too old, or of a time before a backup was restored.
        last = undefined;
        on.lost(true);
        await api.patience.wait(Math.min(longestWaitMs, comeAgainMs * 2 ** refusals), signal);
      }
  }
  void run();
  return () => stop.abort();
}
