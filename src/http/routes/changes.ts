import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { change, changeEvent, changeTypes } from '../../domain/change.ts';
import { limit, spaceId } from '../../kernel/schemas.ts';
import type { Authentication } from '../../services/authentication.ts';
import type { Changes } from '../../services/changes.ts';
import { currentPrincipal } from '../access.ts';
import { type EventStreams, mostStreamsPerPerson, type ServerSentEvent } from '../event-stream.ts';
import { principalOf } from '../request.ts';

const shownChange = change.meta({ id: 'Change' });
const access = { credential: 'key', personal: 'notes:read', workspace: 'workspace:notes:read' } as const;
const fields = Object.keys(changeEvent.shape)
  .filter((field) => !(field in change.shape))
  .map((field) => `\`${field}\``)
  .join(', ');

async function* sent(events: Awaited<ReturnType<Changes['follow']>>): AsyncGenerator<ServerSentEvent> {
  for await (const { cursor, change } of events)
    yield { id: cursor, event: change ? 'change' : 'ready', data: change ?? {} };
}

export const changeRoutes =
  (
    { changes, authentication }: { changes: Changes; authentication: Authentication },
    streams: EventStreams,
  ): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/changes',
      config: {
        access,
        errors: ['not_found'],
      },
      schema: {
        operationId: 'listChanges',
        summary: 'List what was created, updated and deleted, the oldest first',
        description:
          'An extension of this server. Types whose scope the key lacks are left out. A page may be empty and yet have more behind it.',
        tags: ['Changes'],
        querystring: z.object({
          since: z
            .string()
            .optional()
            .describe(
              '`next_cursor` of the previous answer. Without it, the answer has no changes and the current cursor.',
            ),
          limit: limit(500, 100),
          type: z.enum(changeTypes).optional(),
          space_id: spaceId,
        }),
        response: {
          200: z.object({
            data: z.array(shownChange),
            has_more: z.boolean(),
            next_cursor: z.string().describe('For the next call, whether or not there is more now.'),
          }),
        },
      },
      handler: (request) => changes.list(principalOf(request), request.query),
    });

    app.route({
      method: 'GET',
      url: '/changes/events',
      config: { access, events: true, errors: ['not_found'] },
      schema: {
        operationId: 'followChanges',
        summary: 'Follow what is created, updated and deleted, as server-sent events',
        description: `An extension of this server. Of all that you reach: with a session your own and the spaces of your workspaces. First an event \`ready\`, then \`change\` for each change: those of \`GET /changes\`, with ${fields}. The id of an event is a cursor of that route. Ends when the credential ends, and every five minutes; come again with \`Last-Event-ID\`, as browsers do. A person can have ${mostStreamsPerPerson} streams at a time; one more ends the oldest.`,
        tags: ['Changes'],
        querystring: z.object({
          since: z.string().optional().describe('A cursor of `GET /changes`; by default now.'),
          type: z.enum(changeTypes).optional(),
          space_id: spaceId.describe('Only this space.'),
          jobs: z
            .enum(['true', 'false'])
            .default('false')
            .describe('`true`: also the steps of recordings and language jobs, as webhooks tell them.'),
        }),
        response: { 200: z.string() },
      },
      handler: async (request, reply) =>
        streams.answer(request, reply, async (signal) => {
          const { 'last-event-id': last } = request.headers;
          const options = {
            ...request.query,
            jobs: request.query.jobs === 'true',
            ...(typeof last === 'string' && last !== '' && { since: last }),
          };
          return sent(await changes.follow(() => currentPrincipal(authentication, request), options, signal));
        }),
    });
  };
