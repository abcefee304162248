import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { AppError } from '../../domain/errors.ts';
import { openAiEnvelope } from '../../platform/http/openai-errors.ts';

export const eventsType = 'text/event-stream; charset=utf-8';

type Event = [name: string, data: object];
const written = (...[name, data]: Event) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
const deltaOf = (delta: string): Event => ['transcript.text.delta', { type: 'transcript.text.delta', delta }];
const doneOf = (text: string): Event => ['transcript.text.done', { type: 'transcript.text.done', text }];

/** The events of a whole text, for an answer that is kept. */
export const wholeTextEvents = (text: string) => written(...deltaOf(text)) + written(...doneOf(text));

/**
 * Server-sent events with a text as it is recognised, as OpenAI names them. Nothing is sent before the first one, so what
 * goes wrong until then is answered with its own status.
 */
export function createTranscriptEvents(reply: FastifyReply) {
  let stream: PassThrough | undefined;

  function send(name: string, data: object): void {
    if (!stream) {
      stream = new PassThrough();
      // Some proxies keep an answer back until it ends, unless told not to.
      reply.type(eventsType).header('x-accel-buffering', 'no').send(stream);
    }
    if (!stream.destroyed) stream.write(written(name, data));
  }

  return {
    hasBegun: () => stream !== undefined,
    delta: (delta: string) => send(...deltaOf(delta)),
    done(text: string) {
      send(...doneOf(text));
      stream?.end();
    },
    fail(error: AppError) {
      send('error', openAiEnvelope(error));
      stream?.end();
    },
  };
}
