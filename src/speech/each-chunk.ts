import { pcmRate } from '../domain/audio.ts';
import type { Chunk } from '../ports/audio.ts';
import type { TranscribeRequest } from '../ports/transcriber.ts';

/**
 * Works on as many chunks at once as there are lanes, and asks for the next one when a lane is free. Returns the
 * results in the order of the chunks, which is also the order in which `tell` gets them, and tells the progress. The first failure stops the others.
 */
export async function eachChunk<Result>(
  { recording, onProgress, signal: asked }: TranscribeRequest,
  lanes: number,
  work: (chunk: Chunk, signal: AbortSignal) => Promise<Result>,
  tell?: (result: Result) => void,
): Promise<Result[]> {
  const iterator = recording.chunks()[Symbol.asyncIterator]();
  const results: Result[] = [];
  const working = new Set<AbortController>();
  let started = 0;
  let done = 0;
  let told = 0;

  async function lane(): Promise<void> {
    const stop = new AbortController();
    const signal = asked ? AbortSignal.any([asked, stop.signal]) : stop.signal;
    working.add(stop);
    try {
      await workOn(signal);
    } finally {
      working.delete(stop);
    }
  }

  async function workOn(signal: AbortSignal): Promise<void> {
    for (;;) {
      const next = await iterator.next();
      if (next.done) return;
      const at = started++;
      const { start, pcm } = next.value;
      results[at] = await work(next.value, signal);
      for (let next = results[told]; next !== undefined; next = results[told]) {
        told += 1;
        tell?.(next);
      }
      done = Math.max(done, Math.min(0.99, ((start + pcm.length / pcmRate) * 1000) / recording.durationMs));
      onProgress?.(done);
    }
  }

  const running = Array.from({ length: lanes }, lane);
  try {
    await Promise.all(running);
  } catch (error) {
    for (const stop of working) stop.abort(error);
    await Promise.allSettled(running);
    throw asked?.aborted ? asked.reason : error;
  } finally {
    await iterator.return?.();
  }
  onProgress?.(1);
  return results;
}
