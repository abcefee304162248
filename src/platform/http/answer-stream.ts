import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';

/** Sends a piece, and waits until the client takes more. Raises the reason of the signal once the client is gone. */
export type Send = (text: string) => Promise<void>;

/**
 * What `work` sends, as a stream that begins with its first piece: a fault before that is raised here and has a status of its
 * own, and `faultText` tells a later one. `work` is a function and no generator: it runs to its end however little of the stream
 * is read, so what it holds (a place, a request to the language model) is given back by its own `finally`.
 */
export async function streamOf(
  signal: AbortSignal,
  work: (send: Send) => Promise<void>,
  faultText: (thrown: unknown) => string,
): Promise<Readable> {
  const begun = Promise.withResolvers<void>();
  let hasBegun = false;
  let taken = Promise.withResolvers<void>();
  const stream = new Readable({ read: () => taken.resolve() });
  signal.addEventListener('abort', () => taken.resolve(), { once: true });

  async function send(text: string): Promise<void> {
    signal.throwIfAborted();
    hasBegun = true;
    begun.resolve();
    taken = Promise.withResolvers();
    if (!stream.push(text)) await taken.promise;
    signal.throwIfAborted();
  }
  function end(last: string | null): void {
    if (stream.destroyed) return;
    if (last !== null) stream.push(last);
    stream.push(null);
  }

  work(send).then(
    () => {
      end(null);
      begun.resolve();
    },
    (thrown: unknown) => {
      if (hasBegun) end(faultText(thrown));
      else begun.reject(thrown);
    },
  );
  await begun.promise;
  return stream;
}

export const sendEvents = (reply: FastifyReply, events: Readable, type = 'text/event-stream') =>
  reply
    .type(type)
    .header('cache-control', 'no-store')
    // nginx would collect them otherwise.
    .header('x-accel-buffering', 'no')
    .send(events);
