import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { apiKey, maxKeyLifetimeDays, maxKeyNameLength } from '../../domain/api-key.ts';
import { personalScopes } from '../../domain/scopes.ts';
import type { Keys } from '../../services/keys.ts';
import { principalOf } from '../request.ts';
import { dataOf, pathId } from '../schemas.ts';

const shownKey = apiKey.meta({ id: 'ApiKey' });
export const keySecret = z.string().describe('The key itself, shown this once.');
export const keyName = z.string().trim().min(1).max(maxKeyNameLength);
export const expiresInDays = z
  .int()
  .min(1)
  .max(maxKeyLifetimeDays)
  .optional()
  .describe('Days until the key expires; never when left out.');

const config = { access: { credential: 'session or agent' } } as const;

export const keyRoutes =
  (keys: Keys): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'POST',
      url: '/keys/create',
      config,
      schema: {
        operationId: 'createKey',
        summary: 'Create a personal key',
        tags: ['Keys'],
        body: z.object({
          name: keyName,
          scopes: z
            .array(z.enum(personalScopes))
            .min(1)
            .transform((scopes) => [...new Set(scopes)])
            .optional()
            .describe('Default: notes:read, notes:write, transcriptions:read, usage:read.'),
          expires_in_days: expiresInDays,
        }),
        response: { 201: dataOf(apiKey.extend({ key: keySecret })) },
      },
      handler: async (request, reply) =>
        reply.code(201).send({ data: await keys.create(principalOf(request), request.body) }),
    });

    app.route({
      method: 'GET',
      url: '/keys/list',
      config,
      schema: {
        operationId: 'listKeys',
        summary: 'List active personal keys',
        tags: ['Keys'],
        response: { 200: dataOf(z.object({ keys: z.array(shownKey) })) },
      },
      handler: async (request) => ({ data: { keys: await keys.list(principalOf(request)) } }),
    });

    app.route({
      method: 'POST',
      url: '/keys/:id/revoke',
      config,
      schema: {
        operationId: 'revokeKey',
        summary: 'Revoke a personal key; it stops working at once',
        tags: ['Keys'],
        params: pathId,
        response: {
          200: dataOf(z.object({ revoked: z.literal(true) })).extend({ message: z.string() }),
        },
      },
      handler: async (request) => {
        await keys.revoke(principalOf(request), request.params.id);
        return { data: { revoked: true as const }, message: 'The key is revoked and no longer works.' };
      },
    });
  };
