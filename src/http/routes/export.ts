import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import type { Exports } from '../../services/exports.ts';
import { principalOf } from '../request.ts';
import { spaceId } from '../schemas.ts';

export const exportRoutes =
  (exports: Exports): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/export',
      config: {
        access: { credential: 'key', personal: 'notes:read', workspace: 'workspace:notes:read' },
        cost: 5,
        zip: true,
        errors: ['not_found'],
      },
      schema: {
        operationId: 'exportEverything',
        summary: 'Get everything as one zip: Markdown, JSON lines and subtitles',
        tags: ['Export'],
        querystring: z.object({ space_id: spaceId }),
        response: { 200: z.string() },
      },
      handler: async (request, reply) => {
        const zip = await exports.of(principalOf(request), request.query);
        return (
          reply
            .type('application/zip')
            .header('content-disposition', 'attachment; filename="steno-export.zip"')
            // A stream is sent as it is; a schema cannot describe one.
            .send(zip as unknown as string)
        );
      },
    });
  };
