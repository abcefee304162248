import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { personally } from '../../domain/access.ts';
import { member, memberRole } from '../../domain/member.ts';
import { dataOf, noContent, pageOf, pathId, whole } from '../../kernel/schemas.ts';
import type { Members } from '../../services/members.ts';
import { principalOf } from '../request.ts';

const shownMember = member.meta({ id: 'WorkspaceMember' });

const config = { access: { credential: 'session' } } as const;
const memberPath = pathId.extend({ user_id: z.string().toLowerCase() });

export const memberRoutes =
  (members: Members): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/workspaces/:id/members',
      config,
      schema: {
        operationId: 'listMembers',
        summary: 'List the members of a workspace (open to any member)',
        tags: ['Workspaces'],
        params: pathId,
        response: { 200: pageOf(shownMember) },
      },
      handler: async (request) => ({
        ...whole,
        data: await members.list(principalOf(request), request.params.id),
      }),
    });

    app.route({
      method: 'PATCH',
      url: '/workspaces/:id/members/:user_id',
      config: { access: personally, errors: ['conflict'] },
      schema: {
        operationId: 'updateMember',
        summary: 'Change the role of a member, or stop managing them (to start, send them an invitation)',
        tags: ['Workspaces'],
        params: memberPath,
        body: z.object({ role: memberRole.exactOptional(), managed: z.boolean().exactOptional() }),
        response: { 200: dataOf(shownMember) },
      },
      handler: async (request) => {
        const { id, user_id } = request.params;
        return { data: await members.update(principalOf(request), id, user_id, request.body) };
      },
    });

    app.route({
      method: 'DELETE',
      url: '/workspaces/:id/members/:user_id',
      config: { access: personally, errors: ['conflict'] },
      schema: {
        operationId: 'removeMember',
        summary: 'Remove a member from a workspace (any member may remove themselves)',
        tags: ['Workspaces'],
        params: memberPath,
        querystring: z.object({
          revoke_keys: z
            .enum(['true', 'false'])
            .default('false')
            .describe('Also revoke the workspace keys they created; only admins may.'),
        }),
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        const { id, user_id } = request.params;
        const revokeKeys = request.query.revoke_keys === 'true';
        await members.remove(principalOf(request), id, user_id, { revokeKeys });
        return reply.code(204).send();
      },
    });
  };
