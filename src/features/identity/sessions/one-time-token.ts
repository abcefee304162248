import { z } from 'zod';
import { personally } from '../../../domain/access.ts';
import { deviceOf, type SignInDoor, signedInShape } from '../door.ts';
import { createOneTimeToken, signInWith } from './sign-in.ts';

/** A person who is signed in takes their session to another app: paths and bodies of better-auth's one-time token. */
export const oneTimeTokenRoutes = (door: SignInDoor) => [
  door.route({
    http: 'GET /one-time-token/generate',
    access: personally,
    answer: z.object({ token: z.string() }),
    // It makes a token.
    wire: { exposeHeadRoute: false },
    run: async ({ act }) => ({ token: await act(createOneTimeToken) }),
  }),

  door.route({
    http: 'POST /one-time-token/verify',
    body: z.object({ token: z.string().max(100) }),
    answer: signedInShape,
    ownPages: ['cookie', 'origin'],
    wire: { signsIn: true },
    async run(context, { request, reply, body: { token } }) {
      const signedIn = await signInWith('one-time token', context, token, deviceOf(request));
      return door.letIn(request, reply, signedIn, 'INVALID_TOKEN');
    },
  }),
];
