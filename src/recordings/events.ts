import { notFound } from '../domain/errors.ts';
import { ownedBy } from '../domain/owner.ts';
import type { Principal } from '../domain/principal.ts';
import type { ChunkText, Recording } from '../domain/recording.ts';
import type { RecordingStore } from '../ports/recording-store.ts';
import type { News, SpokenTail } from './news.ts';

export type RecordingEvent =
  | { kind: 'state'; recording: Recording; isLast: boolean }
  | { kind: 'text'; text: ChunkText }
  /** What is spoken right now; the next one replaces it, and so does the next text. */
  | { kind: 'tail'; tail: SpokenTail }
  /** Nothing happened; the connection lives. */
  | { kind: 'alive' };

/** For news of other servers. Those of this one come at once. */
const lookEveryMs = 1_000;
const aliveEveryMs = 15_000;
/** Then the client comes again, and its key is checked again. */
const longestMs = 300_000;

export type RecordingEvents = ReturnType<typeof createRecordingEvents>;

export function createRecordingEvents({
  store,
  news,
}: {
  store: { recordings: RecordingStore };
  news: News;
}) {
  async function* follow(
    userId: string,
    first: Recording,
    from: number,
    signal: AbortSignal,
  ): AsyncGenerator<RecordingEvent> {
    const endAt = performance.now() + longestMs;
    let position = from;
    let told = '';
    let toldTail: SpokenTail | undefined;
    let spokeAt = performance.now();
    let now: Recording | undefined = first;
    const leave = news.follow(first.id);
    try {
      while (now && !signal.aborted && performance.now() < endAt) {
        // In this order, so that the last state comes after the last words.
        for (const text of await store.recordings.texts(now.id, position)) {
          position = text.position + 1;
          spokeAt = performance.now();
          yield { kind: 'text', text };
        }
        const isLast = now.state === 'done' || now.state === 'failed';
        const state = JSON.stringify(now);
        if (state !== told) {
          told = state;
          spokeAt = performance.now();
          yield { kind: 'state', recording: now, isLast };
        }
        if (isLast) return;
        const tail = news.tailOf(now.id);
        if (tail && tail !== toldTail) {
          toldTail = tail;
          yield { kind: 'tail', tail };
        }
        if (performance.now() - spokeAt > aliveEveryMs) {
          spokeAt = performance.now();
          yield { kind: 'alive' };
        }
        await news.wait(now.id, lookEveryMs, signal);
        now = await store.recordings.get(ownedBy(userId), now.id);
      }
    } finally {
      leave();
    }
  }

  return {
    /**
     * What happens to a recording from now on, and its words from a position on. Ends with the work, when the recording is
     * deleted, after some minutes, or with the signal. Raises `not_found`.
     */
    async follow(
      { userId }: Principal,
      id: string,
      from: number,
      signal: AbortSignal,
    ): Promise<AsyncGenerator<RecordingEvent>> {
      const first = await store.recordings.get(ownedBy(userId), id);
      if (!first) throw notFound('Recording');
      return follow(userId, first, from, signal);
    },
  };
}
