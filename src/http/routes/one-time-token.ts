import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { anyone, personally } from '../../domain/access.ts';
import type { Sessions } from '../../services/sessions.ts';
import type { FailureThrottle } from '../failure-throttle.ts';
import { principalOf } from '../request.ts';
import { deviceOf, personShape, type SignInDoor, sessionShape, toPerson, toSession } from '../sign-in.ts';
import { answerBadInput, SignInRefusal } from '../sign-in-refusal.ts';

interface Dependencies {
  sessions: Sessions;
  door: SignInDoor;
  failures: FailureThrottle;
}

const hide = true;

/** Somebody who is signed in takes their session to another app: paths and bodies of better-auth's one-time token. */
export const oneTimeTokenRoutes =
  ({ sessions, door, failures }: Dependencies): FastifyPluginAsyncZod =>
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
        return { token: await sessions.createOneTimeToken(principalOf(request)) };
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
        const signedIn = await sessions.signInWithOneTimeToken(request.body.token, deviceOf(request));
        if (!signedIn) {
          const failure = await failures.record(request.ip);
          throw failure.code === 'rate_limited' ? failure : new SignInRefusal('INVALID_TOKEN');
        }
        door.setCookie(request, reply, signedIn.token);
        return { session: toSession(signedIn), user: toPerson(signedIn.user) };
      },
    });
  };
