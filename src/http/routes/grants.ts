import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { personally } from '../../domain/access.ts';
import { grant } from '../../domain/oauth.ts';
import { dataOf, noContent, pathId } from '../../kernel/schemas.ts';
import type { OAuth } from '../../services/oauth.ts';
import { issuerFor } from '../oauth-issuer.ts';
import { principalOf } from '../request.ts';

const word = z.string().max(2_000);
const question = z.object({
  response_type: word.optional(),
  client_id: word,
  redirect_uri: word,
  code_challenge: word.optional(),
  code_challenge_method: word.optional(),
  scope: word.optional(),
  state: word.optional(),
  resource: word.optional(),
});
const consent = z.object({
  redirect: z.string().optional(),
  client_name: z.string().optional(),
  redirect_uri: z.string().optional(),
  scopes: z.array(z.string()).optional(),
});
const shownGrant = grant.meta({ id: 'Grant' });
const own = { access: { credential: 'session' } } as const;

/** What the console asks for its page of consent, and the grants of the person beside their keys. */
export const grantRoutes =
  ({ oauth, publicUrl }: { oauth: OAuth; publicUrl: string }): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'POST',
      url: '/oauth/request',
      config: own,
      schema: { hide: true, body: question, response: { 200: dataOf(consent) } },
      handler: async (request) => ({
        data: await oauth.look(request.body, issuerFor(request, publicUrl)),
      }),
    });

    app.route({
      method: 'POST',
      url: '/oauth/consent',
      // An app that has a password of the person lets nobody else in.
      config: { access: personally },
      schema: {
        hide: true,
        body: z.object({ request: question, scopes: z.array(word).max(100).nullable() }),
        response: { 200: dataOf(z.object({ redirect: z.string() })) },
      },
      handler: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        const { request: asked, scopes } = request.body;
        const redirect = await oauth.decide(
          principalOf(request),
          asked,
          scopes,
          issuerFor(request, publicUrl),
        );
        return { data: { redirect } };
      },
    });

    app.route({
      method: 'GET',
      url: '/grants',
      config: own,
      schema: {
        operationId: 'listGrants',
        summary: 'List the assistants that you connected, and what each may do',
        tags: ['Keys'],
        response: { 200: dataOf(z.array(shownGrant)) },
      },
      handler: async (request) => ({ data: await oauth.list(principalOf(request)) }),
    });

    app.route({
      method: 'DELETE',
      url: '/grants/:id',
      config: own,
      schema: {
        operationId: 'revokeGrant',
        summary: 'Disconnect an assistant; its tokens stop working at once',
        tags: ['Keys'],
        params: pathId,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await oauth.revoke(principalOf(request), request.params.id);
        return reply.code(204).send();
      },
    });
  };
