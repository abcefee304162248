import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { session } from '../../domain/session.ts';
import { noContent, pageOf, pathId, whole } from '../../kernel/schemas.ts';
import type { Sessions } from '../../services/sessions.ts';
import { principalOf } from '../request.ts';

const shownSession = session
  .extend({ current: z.boolean().describe('True for the session that makes this request.') })
  .meta({ id: 'Session' });

const config = { access: { credential: 'session' } } as const;

export const sessionRoutes =
  (sessions: Sessions): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/sessions',
      config,
      schema: {
        operationId: 'listSessions',
        summary: 'List your sessions: where you are signed in',
        tags: ['Sessions'],
        response: { 200: pageOf(shownSession) },
      },
      handler: async (request) => ({ ...whole, data: await sessions.list(principalOf(request)) }),
    });

    app.route({
      method: 'DELETE',
      url: '/sessions',
      config,
      schema: {
        operationId: 'revokeAllSessions',
        summary: 'Sign out of all sessions, including this one',
        tags: ['Sessions'],
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await sessions.revokeAll(principalOf(request));
        return reply.code(204).send();
      },
    });

    app.route({
      method: 'DELETE',
      url: '/sessions/:id',
      config,
      schema: {
        operationId: 'revokeSession',
        summary: 'Sign out of one session',
        tags: ['Sessions'],
        params: pathId,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await sessions.revoke(principalOf(request), request.params.id);
        return reply.code(204).send();
      },
    });
  };
