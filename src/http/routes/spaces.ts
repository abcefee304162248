import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import type { Spaces } from '../../services/spaces.ts';
import { principalOf } from '../request.ts';
import { dataOf, timestamp } from '../schemas.ts';

export const space = z
  .object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    emoji: z.string().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Space' });

export const spaceRoutes =
  (spaces: Spaces): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/spaces/list',
      config: { access: { credential: 'key', workspace: 'any content scope' }, tool: 'list_spaces' },
      schema: {
        operationId: 'listSpaces',
        summary: "List the spaces of the key's workspace",
        tags: ['Spaces'],
        response: { 200: dataOf(z.array(space)) },
      },
      handler: async (request) => ({ data: await spaces.list(principalOf(request)) }),
    });
  };
