import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { personally } from '../../domain/access.ts';
import { workspacePolicy } from '../../domain/policy.ts';
import { dataOf, pathId } from '../../kernel/schemas.ts';
import type { Policies } from '../../services/policies.ts';
import { principalOf } from '../request.ts';

const shownPolicy = workspacePolicy.meta({ id: 'WorkspacePolicy' });
const { block_cloud_transcription, block_cloud_backup, block_language_models } = workspacePolicy.shape;

const config = { access: { credential: 'session' } } as const;

export const policyRoutes =
  (policies: Policies): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/workspaces/:id/policy',
      config,
      schema: {
        operationId: 'getWorkspacePolicy',
        summary: 'Get the policy of a workspace (open to any member)',
        tags: ['Workspaces'],
        params: pathId,
        response: { 200: dataOf(shownPolicy) },
      },
      handler: async (request) => ({
        data: await policies.get(principalOf(request), request.params.id),
      }),
    });

    app.route({
      method: 'PATCH',
      url: '/workspaces/:id/policy',
      config: { access: personally },
      schema: {
        operationId: 'updateWorkspacePolicy',
        summary:
          'Change the policy of a workspace from the next call on; fields that you leave out stay the same',
        tags: ['Workspaces'],
        params: pathId,
        body: z.object({
          block_cloud_transcription: block_cloud_transcription.exactOptional(),
          block_cloud_backup: block_cloud_backup.exactOptional(),
          block_language_models: block_language_models.exactOptional(),
        }),
        response: { 200: dataOf(shownPolicy) },
      },
      handler: async (request) => ({
        data: await policies.update(principalOf(request), request.params.id, request.body),
      }),
    });
  };
