import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { AppError } from '../domain/errors.ts';
import { openAiEnvelope } from './openai-errors.ts';

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
      reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no').send(stream);
    }
    if (!stream.destroyed) stream.write(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  return {
    hasBegun: () => stream !== undefined,
    delta: (delta: string) => send('transcript.text.delta', { type: 'transcript.text.delta', delta }),
    done(text: string) {
      send('transcript.text.done', { type: 'transcript.text.done', text });
      stream?.end();
    },
    fail(error: AppError) {
      send('error', openAiEnvelope(error));
      stream?.end();
    },
  };
}
