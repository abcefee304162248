import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { personally } from '../../domain/access.ts';
import { maxEmailLength } from '../../domain/email.ts';
import { invitation, receivedInvitation } from '../../domain/invitation.ts';
import { memberRole } from '../../domain/member.ts';
import { joinedWorkspace } from '../../domain/workspace.ts';
import { dataOf, noContent, pageOf, pathId, whole } from '../../kernel/schemas.ts';
import { byId, once } from '../../platform/http/idempotency.ts';
import { originOf } from '../../platform/http/origin.ts';
import { principalOf } from '../../platform/http/request.ts';
import type { Invitations } from './invitations.ts';

const shownInvitation = invitation.meta({ id: 'Invitation' });
const sentInvitation = invitation.extend({
  link: z
    .string()
    .nullable()
    .describe('The link to pass on to the person, shown only this once. null if it was mailed to them.'),
});

const config = { access: { credential: 'session' } } as const;
const tags = ['Invitations'];
const invitationPath = pathId.extend({ invitation_id: z.string().toLowerCase() });
const tokenPath = z.object({
  token: z.string().describe('What the link ends with, or the id in the list of your invitations.'),
});
const shownReceived = receivedInvitation.meta({ id: 'ReceivedInvitation' });

export const invitationRoutes =
  ({ invitations, publicUrl }: { invitations: Invitations; publicUrl: string }): FastifyPluginAsyncZod =>
  async (app) => {
    const linksLeadTo = (request: FastifyRequest) => publicUrl.replace(/\/+$/, '') || originOf(request);

    app.route({
      method: 'GET',
      url: '/workspaces/:id/invitations',
      config,
      schema: {
        operationId: 'listInvitations',
        summary:
          'List the unanswered invitations of a workspace, including those that expired in the last 14 days',
        tags,
        params: pathId,
        response: { 200: pageOf(shownInvitation) },
      },
      handler: async (request) => ({
        ...whole,
        data: await invitations.list(principalOf(request), request.params.id),
      }),
    });

    app.route({
      method: 'POST',
      url: '/workspaces/:id/invitations',
      config: { access: personally, idempotent: true, errors: ['conflict'] },
      schema: {
        operationId: 'createInvitation',
        summary:
          'Invite an address to join a workspace, or ask a member to be managed; they must accept first',
        tags,
        params: pathId,
        body: z.object({
          email: z.string().max(maxEmailLength),
          role: memberRole.default('member'),
          managed: z.boolean().default(false),
        }),
        response: { 201: dataOf(sentInvitation) },
      },
      handler: async (request, reply) =>
        reply.code(201).send({
          data: await once(
            request,
            (as) => invitations.create(as, request.params.id, request.body, linksLeadTo(request)),
            (as, id) => byId(invitations.list(as, request.params.id), id),
          ),
        }),
    });

    app.route({
      method: 'POST',
      url: '/workspaces/:id/invitations/:invitation_id/resend',
      config: { access: personally },
      schema: {
        operationId: 'resendInvitation',
        summary: 'Send an invitation again; the new link works for 14 days, the old one stops working',
        tags,
        params: invitationPath,
        response: { 200: dataOf(sentInvitation) },
      },
      handler: async (request) => {
        const { id, invitation_id } = request.params;
        const sent = await invitations.resend(principalOf(request), id, invitation_id, linksLeadTo(request));
        return { data: sent };
      },
    });

    app.route({
      method: 'DELETE',
      url: '/workspaces/:id/invitations/:invitation_id',
      config,
      schema: {
        operationId: 'revokeInvitation',
        summary: 'Revoke an invitation; its link stops working at once',
        tags,
        params: invitationPath,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await invitations.revoke(principalOf(request), request.params.id, request.params.invitation_id);
        return reply.code(204).send();
      },
    });

    app.route({
      method: 'GET',
      url: '/invitations',
      config,
      schema: {
        operationId: 'listReceivedInvitations',
        summary: 'List the invitations to your own address that you have not answered',
        tags,
        response: { 200: pageOf(shownReceived) },
      },
      handler: async (request) => ({ ...whole, data: await invitations.received(principalOf(request)) }),
    });

    app.route({
      method: 'GET',
      url: '/invitations/:token',
      config,
      schema: {
        operationId: 'getInvitation',
        summary: 'Get an invitation to your own address',
        tags,
        params: tokenPath,
        response: { 200: dataOf(shownReceived) },
      },
      handler: async (request) => ({
        data: await invitations.look(principalOf(request), request.params.token),
      }),
    });

    app.route({
      method: 'POST',
      url: '/invitations/:token/accept',
      config,
      schema: {
        operationId: 'acceptInvitation',
        summary:
          'Accept an invitation to your own address: join the workspace and, if it says so, be managed by it',
        tags,
        params: tokenPath,
        response: { 200: dataOf(joinedWorkspace) },
      },
      handler: async (request) => ({
        data: await invitations.accept(principalOf(request), request.params.token),
      }),
    });

    app.route({
      method: 'POST',
      url: '/invitations/:token/decline',
      config,
      schema: {
        operationId: 'declineInvitation',
        summary: 'Decline an invitation to your own address',
        tags,
        params: tokenPath,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await invitations.decline(principalOf(request), request.params.token);
        return reply.code(204).send();
      },
    });
  };
