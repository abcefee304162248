import { Readable } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import { sendEvents, streamOf } from './answer-stream.ts';
import { type ExplainError, envelope } from './errors.ts';
import { clientSignal, principalOf } from './request.ts';

/** The `id` comes back as `Last-Event-ID` when the client reconnects. */
export interface ServerSentEvent {
  event: string;
  data: unknown;
  id?: string | number | undefined;
}

/** Of one person on one server. A browser opens at most six connections to a server over HTTP/1.1. */
export const mostStreamsPerPerson = 8;

const times = {
  /** After this time without an event a comment is sent, because proxies close silent connections. */
  heartBeatMs: 15_000,
  /** Then the client reconnects: a proxy or a network may have lost it. */
  longestMs: 300_000,
  /** When a client comes again after its stream ended. */
  comeAgainMs: 3_000,
  /** The same after a newer stream took its place: two tabs must not push each other out all the time. */
  comeAgainLaterMs: 30_000,
  /** A client that reads nothing does not get the end of its stream either; it is cut off after this. */
  lastWordMs: 2_000,
};

const replaced = 'replaced';

export type EventStreams = ReturnType<typeof createEventStreams>;

/**
 * Server-sent events: heart beat, back pressure, a bound per person, and an end when the server stops. `isAllowed` is asked
 * before anything is sent, so a stream ends with its key or session.
 */
export function createEventStreams(
  app: FastifyInstance,
  isAllowed: (request: FastifyRequest) => Promise<boolean>,
  options: Partial<typeof times> = {},
) {
  const { heartBeatMs, longestMs, comeAgainMs, comeAgainLaterMs, lastWordMs } = { ...times, ...options };
  /** The streams of each person, the oldest first. */
  const open = new Map<string, Set<AbortController>>();
  const stopping = new AbortController();
  // A server that stops does not wait for those who listen; they come again elsewhere.
  app.addHook('preClose', (done) => {
    stopping.abort(new AppError('service_unavailable', 'The server stops. Ask again in a moment.'));
    for (const streams of open.values()) for (const stream of streams) stream.abort();
    done();
  });

  /**
   * One stream too many ends the oldest. To refuse it would lock out a person who has just opened a tab for the sake of a tab that
   * was left behind, or of a phone that is gone and whose connection was not closed.
   */
  function takePlace(userId: string, stream: AbortController): void {
    const mine = open.get(userId) ?? new Set();
    open.set(userId, mine);
    const [oldest] = mine;
    if (mine.size >= mostStreamsPerPerson) oldest?.abort(replaced);
    mine.add(stream);
    stream.signal.addEventListener('abort', () => {
      mine.delete(stream);
      if (mine.size === 0 && open.get(userId) === mine) open.delete(userId);
    });
  }

  async function* written(
    request: FastifyRequest,
    events: AsyncIterable<ServerSentEvent>,
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    yield `retry: ${comeAgainMs}\n\n`;
    const iterator = events[Symbol.asyncIterator]();
    try {
      let next: ReturnType<typeof iterator.next> | undefined;
      while (!signal.aborted) {
        next ??= iterator.next();
        const found = await within(next, heartBeatMs, signal);
        if (!found && signal.aborted) break;
        if (found?.done || !(await isAllowed(request))) return;
        if (found) next = undefined;
        yield found ? textOf(found.value) : ': alive\n\n';
      }
      if (signal.reason === replaced)
        yield `: A newer stream of yours took this place.\nretry: ${comeAgainLaterMs}\n\n`;
    } finally {
      // Not awaited: it ends with the signal.
      void iterator.return?.();
    }
  }

  return {
    /** Aborts when the server stops. */
    stopping: stopping.signal,

    /**
     * Answers with the events that `follow` promises. It raises what must be an error instead of a stream, and its events end
     * with the signal. The next event is asked for when the client has taken the one before.
     */
    async answer(
      request: FastifyRequest,
      reply: FastifyReply,
      follow: (signal: AbortSignal) => Promise<AsyncIterable<ServerSentEvent>>,
    ): Promise<FastifyReply> {
      const stream = new AbortController();
      reply.raw.once('close', () => stream.abort());
      const client = clientSignal(reply);
      client.addEventListener('abort', () => stream.abort(), { once: true });
      if (client.aborted) stream.abort();
      try {
        const events = await follow(stream.signal);
        if (stopping.signal.aborted || request.method === 'HEAD') stream.abort();
        if (!stream.signal.aborted) takePlace(principalOf(request).userId, stream);
        const longest = setTimeout(() => stream.abort(), longestMs).unref();
        const cut = () => {
          clearTimeout(longest);
          setTimeout(() => reply.raw.destroy(), lastWordMs).unref();
        };
        stream.signal.addEventListener('abort', cut);
        if (stream.signal.aborted) cut();
        return sendEvents(
          reply,
          Readable.from(written(request, events, stream.signal), { objectMode: false }),
        );
      } catch (cause) {
        stream.abort();
        throw cause;
      }
    },

    /**
     * Answers with the events that `work` tells while it makes one answer, then with an event `error` if it fails. It takes as
     * long as `work` does, and is not one of the streams that a newer one ends: `work` bounds its time and how many a person has.
     */
    async tell(
      request: FastifyRequest,
      reply: FastifyReply,
      explainError: ExplainError,
      work: (tell: (event: ServerSentEvent) => Promise<void>, signal: AbortSignal) => Promise<void>,
    ): Promise<FastifyReply> {
      const signal = AbortSignal.any([clientSignal(reply), stopping.signal]);
      signal.addEventListener('abort', () => setTimeout(() => reply.raw.destroy(), lastWordMs).unref());
      let heartBeat: NodeJS.Timeout | undefined;
      const events = await streamOf(
        signal,
        async (send) => {
          const tell = async (event: ServerSentEvent) => {
            if (!(await isAllowed(request)))
              throw new AppError('invalid_api_key', 'The key or session of this request works no more.');
            const head = heartBeat ? '' : `retry: ${comeAgainMs}\n\n`;
            heartBeat ??= setInterval(() => void send(': alive\n\n').catch(() => {}), heartBeatMs).unref();
            heartBeat.refresh();
            await send(head + textOf(event));
          };
          try {
            await work(tell, signal);
          } finally {
            clearInterval(heartBeat);
          }
        },
        (thrown) => {
          // Anything may be thrown; explainError knows what to make of it.
          const { code, message } = explainError(thrown as FastifyError, request);
          return textOf({ event: 'error', data: envelope(code, message) });
        },
      );
      return sendEvents(reply, events);
    },
  };
}

/** Undefined after this time, or when the signal says so. */
async function within<Value>(next: Promise<Value>, ms: number, signal: AbortSignal) {
  const { promise: over, resolve } = Promise.withResolvers<undefined>();
  const end = () => resolve(undefined);
  const timer = setTimeout(end, ms).unref();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([next, over]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

function textOf({ event, data, id }: ServerSentEvent): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
