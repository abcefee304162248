import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { maxEmailLength } from '../../domain/email.ts';
import { person } from '../../domain/person.ts';
import { planNames } from '../../domain/plans.ts';
import { maxUserNameLength } from '../../domain/user.ts';
import { cursor, dataOf, label, limit, noContent, pageOf, pathId, timestamp } from '../../kernel/schemas.ts';
import type { People } from '../../services/people.ts';
import { originOf } from '../origin.ts';
import { principalOf } from '../request.ts';

const config = { access: { credential: 'operator' } } as const;
const one = { ...config, errors: ['not_found'] } as const;
const oneOfOthers = { ...config, errors: ['not_found', 'conflict'] } as const;
const tags = ['Operator'];
const shownPerson = person.meta({ id: 'Person' });
const plan = z.enum(planNames);
const link = z
  .string()
  .nullable()
  .describe(
    'For you to pass on: it signs in as this person, once, within 15 minutes. Null if it was mailed.',
  );
const page = { limit: limit(100, 50), cursor };

/** Accounts, for operators. */
export const peopleRoutes =
  ({ people, publicUrl }: { people: People; publicUrl: string }): FastifyPluginAsyncZod =>
  async (app) => {
    const linksLeadTo = (request: FastifyRequest) => publicUrl.replace(/\/+$/, '') || originOf(request);

    app.route({
      method: 'GET',
      url: '/operator/people',
      config,
      schema: {
        operationId: 'listPeople',
        summary: 'Accounts, the newest first, with their plan, last use and storage',
        tags,
        querystring: z.object({
          query: z.string().trim().min(1).max(200).optional().describe('A part of the name or the address.'),
          ...page,
        }),
        response: { 200: pageOf(shownPerson) },
      },
      handler: async ({ query }) => people.list(query),
    });

    app.route({
      method: 'POST',
      url: '/operator/people',
      config: { ...config, errors: ['conflict'] },
      schema: {
        operationId: 'addPerson',
        summary: 'Make an account, and tell the person by e-mail',
        tags,
        body: z.object({
          name: label(maxUserNameLength),
          email: z.string().max(maxEmailLength),
          plan: plan.exactOptional(),
        }),
        response: { 201: dataOf(person.extend({ link })) },
      },
      handler: async (request, reply) =>
        reply.code(201).send({ data: await people.invite(request.body, linksLeadTo(request)) }),
    });

    app.route({
      method: 'GET',
      url: '/operator/people/:id',
      config: one,
      schema: {
        operationId: 'getPerson',
        summary: 'An account',
        tags,
        params: pathId,
        response: { 200: dataOf(shownPerson) },
      },
      handler: async ({ params }) => ({ data: await people.get(params.id) }),
    });

    app.route({
      method: 'PATCH',
      url: '/operator/people/:id',
      config: oneOfOthers,
      schema: {
        operationId: 'updatePerson',
        summary: 'Change the plan of an account, or suspend it',
        description:
          'A suspended account cannot be used: its sessions and all keys that it made stop with the next call, on all servers. Nothing is deleted, and they work again when it is no longer suspended.',
        tags,
        params: pathId,
        body: z.object({ plan: plan.exactOptional(), suspended: z.boolean().exactOptional() }),
        response: { 200: dataOf(shownPerson) },
      },
      handler: async (request) => ({
        data: await people.change(principalOf(request), request.params.id, request.body),
      }),
    });

    app.route({
      method: 'POST',
      url: '/operator/people/:id/sign-in-link',
      config: oneOfOthers,
      schema: {
        operationId: 'makeSignInLink',
        summary: 'Send a person a link that signs them in',
        tags,
        params: pathId,
        response: { 200: dataOf(z.object({ link, expires_at: timestamp })) },
      },
      handler: async (request) => ({
        data: await people.signInLink(request.params.id, linksLeadTo(request)),
      }),
    });

    app.route({
      method: 'DELETE',
      url: '/operator/people/:id/sessions',
      config: one,
      schema: {
        operationId: 'signPersonOut',
        summary: 'Sign a person out everywhere',
        tags,
        params: pathId,
        response: { 204: noContent },
      },
      handler: async ({ params }, reply) => {
        await people.signOut(params.id);
        return reply.code(204).send();
      },
    });

    app.route({
      method: 'DELETE',
      url: '/operator/people/:id',
      config: oneOfOthers,
      schema: {
        operationId: 'removePerson',
        summary:
          'Delete an account with its personal keys, notes, folders and recordings; there is no way back',
        tags,
        params: pathId,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await people.remove(principalOf(request), request.params.id);
        return reply.code(204).send();
      },
    });
  };
