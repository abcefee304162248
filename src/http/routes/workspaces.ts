import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { joinedWorkspace, maxWorkspaceNameLength } from '../../domain/workspace.ts';
import { dataOf, pageOf, whole } from '../../kernel/schemas.ts';
import type { Workspaces } from '../../services/workspaces.ts';
import { byId, once } from '../idempotency.ts';
import { principalOf } from '../request.ts';

export const shownWorkspace = joinedWorkspace.meta({ id: 'Workspace' });

const config = { access: { credential: 'session' } } as const;

export const workspaceRoutes =
  (workspaces: Workspaces): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/workspaces',
      config,
      schema: {
        operationId: 'listWorkspaces',
        summary: 'List your workspaces',
        tags: ['Workspaces'],
        response: { 200: pageOf(shownWorkspace) },
      },
      handler: async (request) => ({ ...whole, data: await workspaces.listJoined(principalOf(request)) }),
    });

    app.route({
      method: 'POST',
      url: '/workspaces',
      config: { ...config, idempotent: true, errors: ['not_found'] },
      schema: {
        operationId: 'createWorkspace',
        summary: 'Create a workspace and become its first admin',
        tags: ['Workspaces'],
        body: z.object({ name: z.string().trim().min(1).max(maxWorkspaceNameLength) }),
        response: { 201: dataOf(shownWorkspace) },
      },
      handler: async (request, reply) =>
        reply.code(201).send({
          data: await once(
            request,
            (as) => workspaces.create(as, request.body),
            (as, id) => byId(workspaces.listJoined(as), id),
          ),
        }),
    });
  };
