import { ownedBy } from '../../domain/owner.ts';
import type { ChunkText, PartialTranscript, Recording } from '../../domain/recording.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import { lastEventId } from '../../kernel/http.ts';
import type { Signals } from '../../lib/signals.ts';
import type { ServerSentEvent } from '../../platform/http/event-stream.ts';
import * as queries from './queries.ts';
import type { Engine, Recorder } from './recorder.ts';

/** How often to look for changes by other servers. Those of this one come at once. */
const lookEveryMs = 1_000;

interface Read {
  signals: Signals<PartialTranscript>;
  recording(before: Recording): Promise<Recording | undefined>;
  /** The words from a position on. */
  texts(id: string, from: number): Promise<ChunkText[]>;
}

export const followOf = ({ database: { db }, signals }: Engine): Recorder['follow'] =>
  createFollow({
    signals,
    recording: ({ id, user_id }) => queries.find(db, ownedBy(user_id), id),
    texts: (id, from) => queries.texts(db, id, from),
  });

/** See `Recorder.follow`. */
export function createFollow(read: Read) {
  const watches = new Map<string, Watch>();

  /** However many follow a recording, one watch reads it. */
  function watchOf(recording: Recording): Watch {
    const { id } = recording;
    const known = watches.get(id);
    if (known) return known;
    const watch = createWatch(read, recording, () => {
      if (watches.get(id) === watch) watches.delete(id);
    });
    watches.set(id, watch);
    return watch;
  }

  async function* events(watch: Watch, from: number, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    let position = from;
    let told = '';
    let toldPartial: PartialTranscript | undefined;
    while (!signal.aborted) {
      const { recording, texts, changed } = watch.now();
      if (!recording) return;
      // In this order, so that the last state comes after the last words.
      for (const text of texts.slice(position)) {
        position = text.position + 1;
        yield { event: 'text', data: text, id: text.position };
      }
      const isLast = isOver(recording);
      const state = JSON.stringify(recording);
      if (state !== told) {
        told = state;
        yield { event: 'state', data: recording, id: isLast ? lastEventId : undefined };
      }
      if (isLast) return;
      const partial = read.signals.partialOf(recording.id);
      if (partial && partial !== toldPartial) {
        toldPartial = partial;
        yield { event: 'tail', data: partial };
      }
      await changed;
    }
  }

  return async (recording: Authorized<Recording>, from: number, signal: AbortSignal) => {
    const watch = watchOf(recording);
    watch.join(signal);
    await watch.isReady;
    return events(watch, from, signal);
  };
}

const isOver = ({ state }: Recording) => state === 'done' || state === 'failed';

type Watch = ReturnType<typeof createWatch>;

/** Reads a recording and its words for all who follow it, until all have left or it is over. */
function createWatch(read: Read, first: Recording, onEnd: () => void) {
  const { id } = first;
  const { signals } = read;
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
  const readTexts = async () => void texts.push(...(await read.texts(id, texts.length)));
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
        const now: Recording | undefined = await read.recording(first);
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
