import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { maxEmailLength } from '../../domain/email.ts';
import { member, memberRole } from '../../domain/member.ts';
import type { Members } from '../../services/members.ts';
import { principalOf } from '../request.ts';
import { dataOf, noContent, pathId } from '../schemas.ts';

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
        response: { 200: dataOf(z.array(shownMember)) },
      },
      handler: async (request) => ({
        data: await members.list(principalOf(request), request.params.id),
      }),
    });

    app.route({
      method: 'POST',
      url: '/workspaces/:id/members',
      config: { ...config, errors: ['conflict'] },
      schema: {
        operationId: 'addMember',
        summary: 'Add a person with an account to a workspace',
        tags: ['Workspaces'],
        params: pathId,
        body: z.object({ email: z.string().max(maxEmailLength), role: memberRole.default('member') }),
        response: { 201: dataOf(shownMember) },
      },
      handler: async (request, reply) =>
        reply.code(201).send({
          data: await members.add(principalOf(request), request.params.id, request.body),
        }),
    });

    app.route({
      method: 'PATCH',
      url: '/workspaces/:id/members/:user_id',
      config: { ...config, errors: ['conflict'] },
      schema: {
        operationId: 'updateMember',
        summary: 'Change the role of a member, or whether the policy applies to them',
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
      config: { ...config, errors: ['conflict'] },
      schema: {
        operationId: 'removeMember',
        summary: 'Remove a member from a workspace (any member may remove themselves)',
        tags: ['Workspaces'],
        params: memberPath,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await members.remove(principalOf(request), request.params.id, request.params.user_id);
        return reply.code(204).send();
      },
    });
  };
