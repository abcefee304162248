import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { type Check, check } from '../../domain/status.ts';
import { dataOf } from '../schemas.ts';

const config = { access: { credential: 'operator' } } as const;
const shownCheck = check.meta({ id: 'Check' });

interface Dependencies {
  status(): Promise<Check[]>;
}

/** For whoever runs the server. Nothing here reads a note. */
export const operatorRoutes =
  ({ status }: Dependencies): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/operator/status',
      config,
      schema: {
        operationId: 'getStatus',
        summary: 'How every part of the server is, and what to do where something is wrong',
        description: 'Looked at every 5 seconds at most.',
        tags: ['Operator'],
        response: { 200: dataOf(z.array(shownCheck)) },
      },
      handler: async () => ({ data: await status() }),
    });
  };
