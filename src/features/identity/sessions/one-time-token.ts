import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { anyone, personally } from '../../../domain/access.ts';
import { actingContext } from '../../../kernel/http.ts';
import { deviceOf, personShape, type SignInDoor, sessionShape } from '../door.ts';
import { answerBadInput } from '../refusals.ts';
import { createOneTimeToken, signInWith } from './sign-in.ts';

const hide = true;

/** A person who is signed in takes their session to another app: paths and bodies of better-auth's one-time token. */
export const oneTimeTokenRoutes =
  (door: SignInDoor): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/one-time-token/generate',
      config: { access: personally, audited: true },
      // It makes a token.
      exposeHeadRoute: false,
      schema: { hide, response: { 200: z.object({ token: z.string() }) } },
      handler: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        return { token: await actingContext(request, reply, door.kernel).act(createOneTimeToken) };
      },
    });

    app.route({
      method: 'POST',
      url: '/one-time-token/verify',
      config: { access: anyone, signsIn: true },
      schema: {
        hide,
        body: z.object({ token: z.string().max(100) }),
        response: { 200: z.object({ session: sessionShape, user: personShape }) },
      },
      errorHandler: answerBadInput,
      onRequest: door.ownPagesOnly('cookie', 'origin'),
      handler: async (request, reply) => {
        const context = actingContext(request, reply, door.kernel);
        const signIn = signInWith('one-time token', context, request.body.token, deviceOf(request));
        return door.letIn(request, reply, await signIn, 'INVALID_TOKEN');
      },
    });
  };
