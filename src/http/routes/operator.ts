import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import type { Principal } from '../../domain/principal.ts';
import { type Check, check } from '../../domain/status.ts';
import { dataOf } from '../../kernel/schemas.ts';
import { principalOf } from '../request.ts';

const config = { access: { credential: 'operator' } } as const;
const shownCheck = check.meta({ id: 'Check' });

interface Dependencies {
  status(): Promise<Check[]>;
  testMail(principal: Principal): Promise<{ to: string }>;
}

/** For whoever runs the server. Nothing here reads a note. */
export const operatorRoutes =
  ({ status, testMail }: Dependencies): FastifyPluginAsyncZod =>
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

    app.route({
      method: 'POST',
      url: '/operator/mail-test',
      config: { ...config, cost: 5, errors: ['conflict'] },
      schema: {
        operationId: 'sendTestMail',
        summary: 'Send yourself an e-mail, to see whether mail works',
        tags: ['Operator'],
        response: { 200: dataOf(z.object({ to: z.string() })) },
      },
      handler: async (request) => ({ data: await testMail(principalOf(request)) }),
    });
  };
