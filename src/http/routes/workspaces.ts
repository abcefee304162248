import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { maxEmailLength } from '../../domain/email.ts';
import { member, memberRole } from '../../domain/member.ts';
import { joinedWorkspace, maxWorkspaceNameLength } from '../../domain/workspace.ts';
import type { Workspaces } from '../../services/workspaces.ts';
import { principalOf } from '../request.ts';
import { dataOf, noContent, pathId } from '../schemas.ts';

const shownWorkspace = joinedWorkspace.meta({ id: 'Workspace' });
const shownMember = member.meta({ id: 'WorkspaceMember' });

const config = { access: { credential: 'session' } } as const;
const memberPath = pathId.extend({ user_id: z.string().toLowerCase() });

/** A workspace and its people; its spaces and keys have files of their own. */
export const workspaceRoutes =
  (workspaces: Workspaces): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/workspaces',
      config,
      schema: {
        operationId: 'listWorkspaces',
        summary: 'List the workspaces you are in',
        tags: ['Workspaces'],
        response: { 200: dataOf(z.array(shownWorkspace)) },
      },
      handler: async (request) => ({ data: await workspaces.list(principalOf(request)) }),
    });

    app.route({
      method: 'POST',
      url: '/workspaces',
      config,
      schema: {
        operationId: 'createWorkspace',
        summary: 'Create a workspace and be its first admin',
        tags: ['Workspaces'],
        body: z.object({ name: z.string().trim().min(1).max(maxWorkspaceNameLength) }),
        response: { 201: dataOf(shownWorkspace) },
      },
      handler: async (request, reply) =>
        reply.code(201).send({ data: await workspaces.create(principalOf(request), request.body) }),
    });

    app.route({
      method: 'GET',
      url: '/workspaces/:id/members',
      config,
      schema: {
        operationId: 'listMembers',
        summary: 'List the members; every member may',
        tags: ['Workspaces'],
        params: pathId,
        response: { 200: dataOf(z.array(shownMember)) },
      },
      handler: async (request) => ({
        data: await workspaces.listMembers(principalOf(request), request.params.id),
      }),
    });

    app.route({
      method: 'POST',
      url: '/workspaces/:id/members',
      config,
      schema: {
        operationId: 'addMember',
        summary: 'Add a person who has an account',
        tags: ['Workspaces'],
        params: pathId,
        body: z.object({ email: z.string().max(maxEmailLength), role: memberRole.default('member') }),
        response: { 201: dataOf(shownMember) },
      },
      handler: async (request, reply) =>
        reply.code(201).send({
          data: await workspaces.addMember(principalOf(request), request.params.id, request.body),
        }),
    });

    app.route({
      method: 'PATCH',
      url: '/workspaces/:id/members/:user_id',
      config,
      schema: {
        operationId: 'updateMember',
        summary: "Change a member's role, or whether the policy holds for them",
        tags: ['Workspaces'],
        params: memberPath,
        body: z.object({ role: memberRole.exactOptional(), managed: z.boolean().exactOptional() }),
        response: { 200: dataOf(shownMember) },
      },
      handler: async (request) => {
        const { id, user_id } = request.params;
        return { data: await workspaces.changeMember(principalOf(request), id, user_id, request.body) };
      },
    });

    app.route({
      method: 'DELETE',
      url: '/workspaces/:id/members/:user_id',
      config,
      schema: {
        operationId: 'removeMember',
        summary: 'Take a member out of the workspace; every member may leave',
        tags: ['Workspaces'],
        params: memberPath,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await workspaces.removeMember(principalOf(request), request.params.id, request.params.user_id);
        return reply.code(204).send();
      },
    });
  };
