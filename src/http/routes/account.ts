import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { personally } from '../../domain/access.ts';
import { maxEmailLength } from '../../domain/email.ts';
import { maxUserNameLength, user } from '../../domain/user.ts';
import { dataOf, label, noContent } from '../../kernel/schemas.ts';
import type { EmailCodes } from '../../services/email-codes.ts';
import type { Users } from '../../services/users.ts';
import { principalOf } from '../request.ts';

const shownAccount = user.meta({ id: 'Account' });
const email = z.string().max(maxEmailLength);

const config = { access: { credential: 'session' } } as const;

interface Dependencies {
  users: Users;
  codes: EmailCodes;
}

/** For people who change their own account. */
export const accountRoutes =
  ({ users, codes }: Dependencies): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'PATCH',
      url: '/account',
      config: { ...config, errors: ['not_found'] },
      schema: {
        operationId: 'updateAccount',
        summary: 'Change your name',
        tags: ['Account'],
        body: z.object({ name: label(maxUserNameLength) }),
        response: { 200: dataOf(shownAccount) },
      },
      handler: async (request) => ({
        data: await users.setName(principalOf(request).userId, request.body.name),
      }),
    });

    app.route({
      method: 'DELETE',
      url: '/account',
      config: { access: personally, errors: ['conflict', 'not_found'] },
      schema: {
        operationId: 'deleteAccount',
        summary: 'Delete your account for good, with everything that is yours alone',
        description:
          'Notes, folders, words, recordings with their audio, keys, sessions, passkeys, app passwords and webhooks go; what is in ' +
          'the spaces of a workspace stays. A workspace in which nobody else is goes too. Refused for the last admin of a ' +
          'workspace that has other members, and for the last operator. Make an export first.',
        tags: ['Account'],
        body: z.object({
          confirm: z
            .string()
            .max(maxEmailLength)
            .describe('The e-mail address of your account, or its name if it has none.'),
        }),
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await users.removeOwn(principalOf(request), request.body.confirm);
        return reply.code(204).send();
      },
    });

    app.route({
      method: 'POST',
      url: '/account/email-code',
      config: { access: personally },
      schema: {
        operationId: 'sendAddressCode',
        summary: 'Send a 6-digit code to your new e-mail address',
        tags: ['Account'],
        body: z.object({ email }),
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await codes.sendToNewAddress(request.body.email, request.ip);
        return reply.code(204).send();
      },
    });

    app.route({
      method: 'POST',
      url: '/account/email',
      config: { access: personally, errors: ['invalid_code', 'too_many_attempts', 'conflict'] },
      schema: {
        operationId: 'setAddress',
        summary: 'Change your e-mail address, with the code that was sent to it',
        tags: ['Account'],
        body: z.object({ email, code: z.string().min(1).max(100) }),
        response: { 200: dataOf(shownAccount) },
      },
      handler: async (request) => {
        const { email, code } = request.body;
        return { data: await codes.changeAddress(principalOf(request), email, code) };
      },
    });
  };
