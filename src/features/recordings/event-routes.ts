import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { pathId } from '../../kernel/schemas.ts';
import {
  type EventStreams,
  mostStreamsPerPerson,
  type ServerSentEvent,
} from '../../platform/http/event-stream.ts';
import { principalOf } from '../../platform/http/request.ts';
import type { RecordingEvent, RecordingEvents } from './events.ts';

/** The id of the last event. A browser that comes again with it gets 204, and stops. */
const lastId = 'end';

export const recordingEventRoutes =
  (events: RecordingEvents, streams: EventStreams): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/recordings/:id/events',
      config: { access: { credential: 'key', personal: 'transcriptions:read' }, events: true },
      schema: {
        operationId: 'followRecording',
        summary:
          'Follow a recording as server-sent events: `state`, `text` as soon as it is final, and `tail` while somebody speaks',
        description: `A person can have ${mostStreamsPerPerson} streams of events at a time. One more ends the oldest, which may come again after half a minute.`,
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
        return streams.answer(request, reply, async (signal) =>
          sent(await events.follow(principalOf(request), request.params.id, from, signal)),
        );
      },
    });
  };

async function* sent(events: AsyncIterable<RecordingEvent>): AsyncGenerator<ServerSentEvent> {
  for await (const event of events) yield serverSent(event);
}

function serverSent(event: RecordingEvent): ServerSentEvent {
  switch (event.kind) {
    case 'state':
      return { event: 'state', data: event.recording, id: event.isLast ? lastId : undefined };
    case 'partial':
      return { event: 'tail', data: event.partial };
    case 'text':
      return { event: 'text', data: event.text, id: event.text.position };
  }
}
