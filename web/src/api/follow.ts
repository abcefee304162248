import { follow, type StreamEvent, type Streams } from '@steno/sdk';
import { api } from './client.ts';
import { isNotFound } from './errors.ts';

const comeAgainMs = 3_000;
type StreamOfOne = Exclude<keyof Streams, '/api/v1/changes/events'>;

/** Hears what happens to one thing, until it is over or the result is called. */
export function followOne<Path extends StreamOfOne>(
  path: Path,
  id: string,
  hear: (event: StreamEvent<Streams[Path]>) => void,
): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  // Both streams are of something that has an id.
  const options = { params: { path: { id } }, signal } as Parameters<typeof follow<Path>>[2];
  async function run(): Promise<void> {
    while (!signal.aborted)
      try {
        for await (const event of follow(api, path, options)) hear(event);
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        await api.patience.wait(comeAgainMs, signal);
      }
  }
  void run();
  return () => stop.abort();
}
