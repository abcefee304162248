import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { fromSwitches, toSwitches } from '../../domain/policy.ts';
import type { Workspaces } from '../../services/workspaces.ts';
import { principalOf } from '../request.ts';
import { dataOf, pathId } from '../schemas.ts';

const blocksTranscription = z.boolean().describe('POST /transcribe is closed to managed members.');
const blocksBackup = z.boolean().describe('Managed members cannot change their dictionary and snippets.');
const policy = z
  .object({ block_cloud_transcription: blocksTranscription, block_cloud_backup: blocksBackup })
  .meta({ id: 'WorkspacePolicy' });

const config = { access: { credential: 'session' } } as const;

export const workspacePolicyRoutes =
  (workspaces: Workspaces): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/workspaces/:id/policy',
      config,
      schema: {
        operationId: 'getWorkspacePolicy',
        summary: 'What is turned off for the members whom the workspace manages; every member may ask',
        tags: ['Workspaces'],
        params: pathId,
        response: { 200: dataOf(policy) },
      },
      handler: async (request) => ({
        data: toSwitches(await workspaces.getPolicy(principalOf(request), request.params.id)),
      }),
    });

    app.route({
      method: 'PATCH',
      url: '/workspaces/:id/policy',
      config,
      schema: {
        operationId: 'updateWorkspacePolicy',
        summary: 'Change what is turned off; only the given fields change, from the next call on',
        tags: ['Workspaces'],
        params: pathId,
        body: z.object({
          block_cloud_transcription: blocksTranscription.exactOptional(),
          block_cloud_backup: blocksBackup.exactOptional(),
        }),
        response: { 200: dataOf(policy) },
      },
      handler: async (request) => ({
        data: toSwitches(
          await workspaces.setPolicy(principalOf(request), request.params.id, fromSwitches(request.body)),
        ),
      }),
    });
  };
