import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { spaceId } from '../../kernel/schemas.ts';
import { principalOf } from '../../platform/http/request.ts';
import type { Exports } from './exports.ts';

export const exportRoutes =
  (exports: Exports): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/export',
      config: {
        access: { credential: 'key', personal: 'notes:read', workspace: 'workspace:notes:read' },
        cost: 5,
        audited: true,
        zip: true,
        errors: ['not_found', 'concurrency_limit'],
      },
      schema: {
        operationId: 'exportEverything',
        summary: 'Get everything as one zip: Markdown, JSON lines and subtitles',
        description:
          'An extension of this server. A person can have one export at a time; another one is refused with 409 until the first has been received, or its client is gone.',
        tags: ['Export'],
        querystring: z.object({ space_id: spaceId }),
        response: { 200: z.string() },
      },
      handler: async (request, reply) => {
        reply
          .type('application/zip')
          .header('content-disposition', 'attachment; filename="steno-export.zip"');
        // Fastify would read the whole zip before it answers HEAD.
        if (request.method === 'HEAD') return reply.send('');
        const zip = await exports.of(principalOf(request), request.query);
        // A stream is sent as it is; a schema cannot describe one.
        return reply.send(zip as unknown as string);
      },
    });
  };
