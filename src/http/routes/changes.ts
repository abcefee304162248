import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { change, changeTypes } from '../../domain/change.ts';
import type { Changes } from '../../services/changes.ts';
import { principalOf } from '../request.ts';
import { limit, spaceId } from '../schemas.ts';

const shownChange = change.meta({ id: 'Change' });

export const changeRoutes =
  (changes: Changes): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/changes',
      config: {
        access: { credential: 'key', personal: 'notes:read', workspace: 'workspace:notes:read' },
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
  };
