import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { personally } from '../../domain/access.ts';
import { appPassword, maxAppPasswordNameLength, maxAppPasswords } from '../../domain/app-password.ts';
import { dataOf, label, noContent, pathId } from '../../kernel/schemas.ts';
import type { AppPasswords } from '../../services/app-passwords.ts';
import { byId, once } from '../idempotency.ts';
import { principalOf } from '../request.ts';

const shownPassword = appPassword.meta({ id: 'AppPassword' });
const config = { access: personally } as const;

/** Their sign-in is in auth.ts. */
export const appPasswordRoutes =
  (appPasswords: AppPasswords): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/app-passwords',
      config,
      schema: {
        operationId: 'listAppPasswords',
        summary: 'List your app passwords',
        tags: ['Sessions'],
        response: { 200: dataOf(z.array(shownPassword).meta({ maxItems: maxAppPasswords })) },
      },
      handler: async (request) => ({ data: await appPasswords.list(principalOf(request)) }),
    });

    app.route({
      method: 'POST',
      url: '/app-passwords',
      config: { ...config, idempotent: true, errors: ['limit_reached', 'conflict', 'not_found'] },
      schema: {
        operationId: 'createAppPassword',
        summary: 'Create a password for an app that only knows an e-mail address and a password',
        tags: ['Sessions'],
        body: z.object({ name: label(maxAppPasswordNameLength).describe('Which app it is for.') }),
        response: {
          201: dataOf(
            appPassword.extend({
              password: z.string().describe('The password itself. It is shown only this once.'),
            }),
          ),
        },
      },
      handler: async (request, reply) =>
        reply.code(201).send({
          data: await once(
            request,
            (as) => appPasswords.create(as, request.body.name),
            (as, id) => byId(appPasswords.list(as), id),
          ),
        }),
    });

    app.route({
      method: 'DELETE',
      url: '/app-passwords/:id',
      config,
      schema: {
        operationId: 'revokeAppPassword',
        summary: 'Revoke an app password; its sessions end at once',
        tags: ['Sessions'],
        params: pathId,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await appPasswords.revoke(principalOf(request), request.params.id);
        return reply.code(204).send();
      },
    });
  };
