import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { space } from '../../domain/space.ts';
import type { Spaces } from '../../services/spaces.ts';
import { principalOf } from '../request.ts';
import { dataOf } from '../schemas.ts';

export const shownSpace = space.meta({ id: 'Space' });

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
        response: { 200: dataOf(z.array(shownSpace)) },
      },
      handler: async (request) => ({ data: await spaces.list(principalOf(request)) }),
    });
  };
