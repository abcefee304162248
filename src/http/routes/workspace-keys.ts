import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { maxKeyDescriptionLength, workspaceKey } from '../../domain/api-key.ts';
import { workspaceScopes, workspaceWildcard } from '../../domain/scopes.ts';
import type { Workspaces } from '../../services/workspaces.ts';
import { principalOf } from '../request.ts';
import { dataOf, noContent, pathId } from '../schemas.ts';
import { expiresInDays, keyName, keySecret } from './keys.ts';

const shownKey = workspaceKey.meta({ id: 'WorkspaceApiKey' });

const config = { access: { credential: 'session' } } as const;

/** Where workspace keys are born. */
export const workspaceKeyRoutes =
  (workspaces: Workspaces): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/workspaces/:id/api-keys',
      config,
      schema: {
        operationId: 'listWorkspaceKeys',
        summary: 'List the active keys of a workspace',
        tags: ['Workspaces'],
        params: pathId,
        response: { 200: dataOf(z.array(shownKey)) },
      },
      handler: async (request) => ({
        data: await workspaces.listKeys(principalOf(request), request.params.id),
      }),
    });

    app.route({
      method: 'POST',
      url: '/workspaces/:id/api-keys',
      config,
      schema: {
        operationId: 'createWorkspaceKey',
        summary: 'Create a key for the spaces of a workspace',
        tags: ['Workspaces'],
        params: pathId,
        body: z.object({
          name: keyName,
          scopes: z
            .array(z.enum([...workspaceScopes, workspaceWildcard]))
            .min(1)
            .transform((scopes) => [...new Set(scopes)]),
          expires_in_days: expiresInDays,
          description: z.string().max(maxKeyDescriptionLength).nullable().optional(),
        }),
        response: { 201: dataOf(workspaceKey.extend({ key: keySecret })) },
      },
      handler: async (request, reply) =>
        reply.code(201).send({
          data: await workspaces.createKey(principalOf(request), request.params.id, request.body),
        }),
    });

    app.route({
      method: 'DELETE',
      url: '/workspaces/:id/api-keys/:key_id',
      config,
      schema: {
        operationId: 'revokeWorkspaceKey',
        summary: 'Revoke a key of a workspace; it stops working at once',
        tags: ['Workspaces'],
        params: pathId.extend({ key_id: z.string().toLowerCase() }),
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await workspaces.revokeKey(principalOf(request), request.params.id, request.params.key_id);
        return reply.code(204).send();
      },
    });
  };
