import type { Steno } from './client.ts';
import { StenoError } from './errors.ts';
import type { components, paths } from './schema.d.ts';

type Schemas = components['schemas'];

/** A change with what is known of the note now. With `jobs: 'true'` there are the types and actions of webhooks too. */
export type ToldChange = Schemas['Change'] & {
  /** Null for what is your own. */
  space_id: string | null;
  /** Of the note; null if it is gone, and for other types. */
  revision: number | null;
  /** The session that wrote the text, if that was the last change. */
  session: string | null;
  /** Id of the user who wrote the text, if that was the last change. */
  by: string | null;
};

/** What each stream of the server tells. openapi.json has only texts for these. */
export interface Streams {
  '/api/v1/changes/events': { ready: Record<string, never>; change: ToldChange };
  '/api/v1/recordings/{id}/events': {
    state: Schemas['Recording'];
    /** Final words. */
    text: { position: number; start_ms: number; end_ms: number; text: string };
    /** What is being said now; the next `tail` or `text` replaces it. */
    tail: { start_ms: number; text: string };
  };
  '/api/v1/language/jobs/{id}/events': {
    state: Schemas['LanguageJob'];
    /** Replaces what came after `offset`. */
    text: { offset: number; text: string };
  };
}

/** `id` is undefined for events that a stream does not go on after. */
export type StreamEvent<Events> = {
  [Name in keyof Events]: { event: Name; data: Events[Name]; id: string | undefined };
}[keyof Events];

interface ServerEvent {
  event: string;
  data: string;
  id: string | undefined;
}

/** The server says that it is alive every 15 seconds. */
const longestSilenceMs = 45_000;
/** A stream that ended sooner was perhaps pushed out by another. Opened again at once, it would push out that one. */
const longLivedMs = 60_000;
const longestWaitMs = 60_000;
const usualWaitMs = 3_000;
/** Of the event that is the last for good. */
const lastId = 'end';

interface ReadOptions {
  /** A connection that is gone without a word says nothing, for ever. Longer than this, and the events end. */
  longestSilenceMs?: number;
  /** How long to wait before the stream is opened again. */
  onRetry?(ms: number): void;
}

/** The server-sent events of one answer. */
export async function* readEvents(
  stream: ReadableStream<Uint8Array> | null | undefined,
  { longestSilenceMs, onRetry }: ReadOptions = {},
): AsyncGenerator<ServerEvent> {
  const reader = stream?.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    while (reader) {
      const timer = longestSilenceMs && setTimeout(() => void reader.cancel(), longestSilenceMs);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      // The server ends lines with \n and writes data in one line.
      const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
        const [event, data, retry] = [field('event'), field('data'), field('retry')];
        if (retry) onRetry?.(Number(retry));
        // A comment keeps the line open.
        if (event !== undefined && data !== undefined) yield { event, data, id: field('id') };
      }
    }
  } finally {
    // Rejected if the connection broke, which the reader was told.
    reader?.cancel().catch(() => {});
  }
}

interface FollowOptions<Path extends keyof Streams> {
  params?: Omit<paths[Path]['get']['parameters'], 'header' | 'cookie'>;
  /** Goes on after this event. */
  lastEventId?: string | undefined;
  signal?: AbortSignal | undefined;
  /** The stream is lost, with this error or because the server ended it. It is opened again by itself. */
  onLost?(error?: unknown): void;
}

/**
 * Follows a stream of events. Opens it again when it is lost, and goes on after the last event. Ends when the server has told
 * everything, or with the signal. Raises `StenoError` if the server refuses for good.
 */
export async function* follow<Path extends keyof Streams>(
  steno: Steno,
  path: Path,
  { params, lastEventId, signal, onLost }: FollowOptions<Path> = {},
): AsyncGenerator<StreamEvent<Streams[Path]>> {
  const open = steno.GET as unknown as (
    path: string,
    init: object,
  ) => Promise<ReadableStream<Uint8Array> | undefined>;
  let last = lastEventId;
  let failures = 0;
  while (!signal?.aborted) {
    let waitMs = usualWaitMs;
    let lost: unknown;
    try {
      const headers = last === undefined ? {} : { 'last-event-id': last };
      const init = { params, headers, parseAs: 'stream', cache: 'no-store', retries: 0 };
      const stream = await open(path, signal ? { ...init, signal } : init);
      if (!stream) return;
      failures = 0;
      const openedAt = Date.now();
      const onRetry = (ms: number) => {
        waitMs = ms;
      };
      for await (const { event, data, id } of readEvents(stream, { longestSilenceMs, onRetry })) {
        last = id ?? last;
        // The server gives the shape.
        yield { event, data: JSON.parse(data), id } as StreamEvent<Streams[Path]>;
        if (signal?.aborted) return;
      }
      if (last === lastId) return;
      if (Date.now() - openedAt > longLivedMs && waitMs <= usualWaitMs) waitMs = 0;
    } catch (error) {
      if (signal?.aborted) return;
      // After others only time helps, whether or not the server says how much.
      if (error instanceof StenoError && error.status < 500 && error.status !== 429) throw error;
      const told = error instanceof StenoError ? (error.retryAfter ?? 0) * 1000 : 0;
      waitMs = Math.max(told, Math.min(longestWaitMs, usualWaitMs * 2 ** failures++));
      lost = error;
    }
    if (signal?.aborted) return;
    onLost?.(lost);
    await steno.patience.wait(waitMs, signal);
  }
}
