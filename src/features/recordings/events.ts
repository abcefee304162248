import { notFound } from '../../domain/errors.ts';
import { ownedBy } from '../../domain/owner.ts';
import type { Principal } from '../../domain/principal.ts';
import type { ChunkText, Recording } from '../../domain/recording.ts';
import type { Signals } from '../../lib/signals.ts';
import type { RecordingStore } from './store/types.ts';

export type RecordingEvent =
  | { kind: 'state'; recording: Recording; isLast: boolean }
  | { kind: 'text'; text: ChunkText }
  /** What is being said; the next partial or text replaces it. */
  | { kind: 'partial'; partial: PartialTranscript };

/** How often to look for changes by other servers. Those of this one come at once. */
const lookEveryMs = 1_000;

export type RecordingEvents = ReturnType<typeof createRecordingEvents>;

interface Dependencies {
  store: { recordings: RecordingStore };
  signals: RecordingSignals;
}

export function createRecordingEvents({ store, signals }: Dependencies) {
  const watches = new Map<string, Watch>();

  /** However many follow a recording, one watch reads it. */
  function watchOf(recording: Recording): Watch {
    const { id } = recording;
    const known = watches.get(id);
    if (known) return known;
    const watch = createWatch({ store, signals }, recording, () => {
      if (watches.get(id) === watch) watches.delete(id);
    });
    watches.set(id, watch);
    return watch;
  }

  async function* follow(watch: Watch, from: number, signal: AbortSignal): AsyncGenerator<RecordingEvent> {
    let position = from;
    let told = '';
    let toldPartial: PartialTranscript | undefined;
    while (!signal.aborted) {
      const { recording, texts, changed } = watch.now();
      if (!recording) return;
      // In this order, so that the last state comes after the last words.
      for (const text of texts.slice(position)) {
        position = text.position + 1;
        yield { kind: 'text', text };
      }
      const state = JSON.stringify(recording);
      if (state !== told) {
        told = state;
        yield { kind: 'state', recording, isLast: isOver(recording) };
      }
      if (isOver(recording)) return;
      const partial = signals.partialOf(recording.id);
      if (partial && partial !== toldPartial) {
        toldPartial = partial;
        yield { kind: 'partial', partial };
      }
      await changed;
    }
  }

  return {
    /**
     * What happens to a recording from now on, and its words from a position on. Ends with the work, when the recording is
     * deleted, or with the signal, which must come. Raises `not_found`.
     */
    async follow(
      { userId }: Principal,
      id: string,
      from: number,
      signal: AbortSignal,
    ): Promise<AsyncGenerator<RecordingEvent>> {
      const first = await store.recordings.get(ownedBy(userId), id);
      if (!first) throw notFound('Recording');
      const watch = watchOf(first);
      watch.join(signal);
      await watch.isReady;
      return follow(watch, from, signal);
    },
  };
}

const isOver = ({ state }: Recording) => state === 'done' || state === 'failed';

type Watch = ReturnType<typeof createWatch>;

/** Reads a recording and its words for all who follow it, until all have left or it is over. */
function createWatch({ store, signals }: Dependencies, first: Recording, onEnd: () => void) {
  const { id, user_id } = first;
  const texts: ChunkText[] = [];
  const stop = new AbortController();
  let recording: Recording | undefined = first;
  let followers = 0;
  let failed: { cause: unknown } | undefined;
  let bell = Promise.withResolvers<void>();

  /** Wakes all who follow. */
  function ring(): void {
    const { resolve } = bell;
    bell = Promise.withResolvers();
    resolve();
  }

  function end(): void {
    stop.abort();
    onEnd();
  }

  // Read after the state: when that is the last one, these are all words.
  const readTexts = async () => void texts.push(...(await store.recordings.texts(id, texts.length)));
  const nextChange = () => signals.wait(id, lookEveryMs, stop.signal);

  async function run(): Promise<void> {
    const leave = signals.follow(id);
    let change = nextChange();
    try {
      await isReady;
      while (recording && !isOver(recording)) {
        await change;
        if (stop.signal.aborted) return;
        // Before it looks, so that it misses no call.
        change = nextChange();
        const now: Recording | undefined = await store.recordings.get(ownedBy(user_id), id);
        if (now) await readTexts();
        recording = now;
        ring();
      }
    } catch (cause) {
      failed = { cause };
    } finally {
      leave();
      end();
      ring();
    }
  }

  const isReady = readTexts();
  void run();

  return {
    isReady,
    /** Raises what went wrong. */
    now() {
      if (failed) throw failed.cause;
      return { recording, texts, changed: bell.promise };
    },
    /** Until the signal. */
    join(signal: AbortSignal): void {
      followers += 1;
      const leave = () => {
        followers -= 1;
        if (followers === 0) end();
        ring();
      };
      signal.addEventListener('abort', leave, { once: true });
      if (signal.aborted) leave();
    },
  };
}

export type RecordingSignals = Signals<PartialTranscript>;

export interface PartialTranscript {
  start_ms: number;
  text: string;
}
