import { notFound } from '../domain/errors.ts';
import { ownedBy } from '../domain/owner.ts';
import type { Principal } from '../domain/principal.ts';
import type { ChunkText, Recording } from '../domain/recording.ts';
import type { RecordingStore } from '../ports/recording-store.ts';

export type RecordingEvent =
  | { kind: 'state'; recording: Recording; isLast: boolean }
  | { kind: 'text'; text: ChunkText }
  /** What is being said; the next partial or text replaces it. */
  | { kind: 'partial'; partial: PartialTranscript }
  /** Nothing happened; the connection lives. */
  | { kind: 'alive' };

/** How often to look for changes by other servers. Those of this one come at once. */
const lookEveryMs = 1_000;
const aliveEveryMs = 15_000;
/** Then the client reconnects, and its key is checked again. */
const longestMs = 300_000;

export type RecordingEvents = ReturnType<typeof createRecordingEvents>;

export function createRecordingEvents({
  store,
  signals,
}: {
  store: { recordings: RecordingStore };
  signals: RecordingSignals;
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
    let toldPartial: PartialTranscript | undefined;
    let spokeAt = performance.now();
    let now: Recording | undefined = first;
    const leave = signals.follow(first.id);
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
        const partial = signals.partialOf(now.id);
        if (partial && partial !== toldPartial) {
          toldPartial = partial;
          yield { kind: 'partial', partial };
        }
        if (performance.now() - spokeAt > aliveEveryMs) {
          spokeAt = performance.now();
          yield { kind: 'alive' };
        }
        await signals.wait(now.id, lookEveryMs, signal);
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

/** Wakes those who follow a recording, within this process, and holds its partial transcript. */
export interface RecordingSignals {
  notify(id: string): void;
  /** Resolves at the next `notify`, or after this time: another server may have changed it. */
  wait(id: string, atMostMs: number, signal: AbortSignal): Promise<void>;
  /** What is being said, which may still change; undefined once it is final. */
  setPartial(id: string, partial: PartialTranscript | undefined): void;
  partialOf(id: string): PartialTranscript | undefined;
  /** Counts a follower until the function that it returns is called. */
  follow(id: string): () => void;
  isFollowed(id: string): boolean;
}

export interface PartialTranscript {
  start_ms: number;
  text: string;
}

export function createSignals(): RecordingSignals {
  const waiting = new Map<string, Set<() => void>>();
  const partials = new Map<string, PartialTranscript>();
  const followers = new Map<string, number>();
  return {
    setPartial(id, partial) {
      if (partial) partials.set(id, partial);
      else partials.delete(id);
      this.notify(id);
    },
    partialOf: (id) => partials.get(id),
    follow(id) {
      followers.set(id, (followers.get(id) ?? 0) + 1);
      return () => {
        const left = (followers.get(id) ?? 1) - 1;
        if (left > 0) followers.set(id, left);
        else followers.delete(id);
      };
    },
    isFollowed: (id) => followers.has(id),
    notify(id) {
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
