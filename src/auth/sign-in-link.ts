import { APIError, createAuthEndpoint } from 'better-auth/api';
import { setSessionCookie } from 'better-auth/cookies';
import { z } from 'zod';

/** `GET /api/auth/sign-in/link?token=…`: signs in whoever holds a link that the operator printed, and opens the console. */
export const signInLink = (redeem: (token: string) => Promise<string | undefined>) => ({
  id: 'steno-sign-in-link',
  endpoints: {
    signInWithLink: createAuthEndpoint(
      '/sign-in/link',
      { method: 'GET', query: z.object({ token: z.string().max(100) }) },
      async (ctx) => {
        const userId = await redeem(ctx.query.token);
        const user = userId === undefined ? null : await ctx.context.internalAdapter.findUserById(userId);
        if (!user)
          throw new APIError('UNAUTHORIZED', {
            message: 'This link was used or is over 15 minutes old; ask for a new one.',
          });
        const session = await ctx.context.internalAdapter.createSession(user.id);
        await setSessionCookie(ctx, { session, user });
        ctx.setHeader('cache-control', 'no-store');
        ctx.setHeader('referrer-policy', 'no-referrer');
        throw ctx.redirect('/');
      },
    ),
  },
});
