import { Readable } from 'node:stream';
import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import type { RecordingEvent, RecordingEvents } from '../../recordings/events.ts';
import { principalOf } from '../request.ts';
import { pathId } from '../schemas.ts';

/** The id of the last event. A browser that comes again with it gets 204, and stops. */
const lastId = 'end';

export const recordingEventRoutes =
  (events: RecordingEvents): FastifyPluginAsyncZod =>
  async (app) => {
    // A server that stops does not wait for those who listen; they come again elsewhere.
    const stopping = new AbortController();
    app.addHook('preClose', (done) => {
      stopping.abort();
      done();
    });

    app.route({
      method: 'GET',
      url: '/recordings/:id/events',
      config: { access: { credential: 'key', personal: 'transcriptions:read' }, events: true },
      schema: {
        operationId: 'followRecording',
        summary:
          'Follow a recording as server-sent events: `state`, `text` as soon as it is final, and `tail` while somebody speaks',
        tags: ['Recordings'],
        params: pathId,
        headers: z.object({
          'last-event-id': z
            .string()
            .optional()
            .describe('The last event that you have: the texts go on after it. Browsers send it themselves.'),
        }),
        response: { 200: z.string(), 204: z.undefined().describe('You have everything.') },
      },
      handler: async (request, reply) => {
        const after = request.headers['last-event-id'];
        if (after === lastId) return reply.code(204).send();
        const from = /^\d{1,9}$/.test(after ?? '') ? Number(after) + 1 : 0;
        const gone = new AbortController();
        reply.raw.once('close', () => gone.abort());
        const signal = AbortSignal.any([stopping.signal, gone.signal]);
        const following = await events.follow(principalOf(request), request.params.id, from, signal);
        return (
          reply
            .type('text/event-stream')
            .header('cache-control', 'no-store')
            // nginx would collect them otherwise.
            .header('x-accel-buffering', 'no')
            // A stream is sent as it is; a schema cannot describe one.
            .send(Readable.from(written(following), { objectMode: false }) as unknown as string)
        );
      },
    });
  };

async function* written(events: AsyncIterable<RecordingEvent>): AsyncGenerator<string> {
  for await (const event of events) yield lineOf(event);
}

function lineOf(event: RecordingEvent): string {
  switch (event.kind) {
    case 'alive':
      return ': alive\n\n';
    case 'state':
      return `${event.isLast ? `id: ${lastId}\n` : ''}event: state\ndata: ${JSON.stringify(event.recording)}\n\n`;
    case 'partial':
      return `event: tail\ndata: ${JSON.stringify(event.partial)}\n\n`;
    case 'text':
      return `id: ${event.text.position}\nevent: text\ndata: ${JSON.stringify(event.text)}\n\n`;
  }
}
