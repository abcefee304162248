import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { anyone } from '../../../domain/access.ts';
import { AppError } from '../../../domain/errors.ts';
import { AccountSuspended } from '../../../domain/user.ts';
import { actingContext } from '../../../kernel/http.ts';
import { noContent } from '../../../kernel/schemas.ts';
import { deviceOf, type SignInDoor } from '../door.ts';
import { answerBadInput, SignInRefusal } from '../refusals.ts';
import { beginSignIn, finishSignIn, type ProviderRefusal, pendingLifetimeMs } from './sign-in.ts';

const config = { access: anyone };
const hide = true;
/** What clients of better-auth call the provider. */
const providerId = z.literal('oidc');
const callbackPath = '/api/auth/callback/oidc';
const begun = z.object({ url: z.string(), redirect: z.boolean() });
const callbackURL = z.string().max(2_000).default('/');
const disableRedirect = z.boolean().default(false);

/** People sign in with an OpenID provider: paths and bodies of better-auth's social and generic OAuth sign-in. */
export const providerAuthRoutes =
  (door: SignInDoor): FastifyPluginAsyncZod =>
  async (app) => {
    const redirectUri = (request: FastifyRequest) => door.originFor(request) + callbackPath;

    async function begin(
      request: FastifyRequest,
      reply: FastifyReply,
      { callbackURL, disableRedirect }: { callbackURL: string; disableRedirect: boolean },
    ) {
      const next = ownPath(callbackURL, door.originFor(request));
      const context = actingContext(request, reply, door.kernel);
      const { url, ticket } = await beginSignIn(context, redirectUri(request), next);
      reply.header('set-cookie', ticketCookie(ticket, door.isSecure(request)));
      reply.header('cache-control', 'no-store');
      return { url, redirect: !disableRedirect };
    }

    const options = {
      config,
      errorHandler: answerBadInput,
      onRequest: door.ownPagesOnly('cookie', 'origin'),
    };
    app.route({
      ...options,
      method: 'POST',
      url: '/sign-in/social',
      schema: {
        hide,
        body: z.object({ provider: providerId, callbackURL, disableRedirect }),
        response: { 200: begun },
      },
      handler: (request, reply) => begin(request, reply, request.body),
    });
    app.route({
      ...options,
      method: 'POST',
      url: '/sign-in/oauth2',
      schema: {
        hide,
        body: z.object({ providerId, callbackURL, disableRedirect }),
        response: { 200: begun },
      },
      handler: (request, reply) => begin(request, reply, request.body),
    });

    app.route({
      method: 'GET',
      url: '/callback/oidc',
      config: { ...config, signsIn: true },
      // It uses the provider's code up.
      exposeHeadRoute: false,
      schema: { hide, response: { 302: noContent } },
      errorHandler: (error, request, reply) => {
        const problem = problemOf(error);
        return problem !== undefined && wantsPage(request)
          ? reply.redirect(`/sign-in?problem=${problem}`, 302)
          : answerBadInput(error, request, reply);
      },
      handler: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        const { searchParams: answer } = new URL(request.url, 'http://localhost');
        const outcome = await finishSignIn(
          actingContext(request, reply, door.kernel),
          { answer, ticket: ticketOf(request), redirectUri: redirectUri(request) },
          deviceOf(request),
        );
        reply.header('set-cookie', ticketCookie(undefined, door.isSecure(request)));
        if ('refused' in outcome) {
          const refusal = await door
            .refuse(request, codeOf[outcome.refused])
            .catch((cause: unknown) => cause);
          if (!(refusal instanceof SignInRefusal) || !wantsPage(request)) throw refusal;
          return reply.redirect(`/sign-in?problem=${pageOf[outcome.refused]}`, 302);
        }
        door.setCookie(request, reply, outcome.token);
        return reply.redirect(outcome.next, 302);
      },
    });
  };

const codeOf = {
  stale: 'STATE_MISMATCH',
  refused: 'PROVIDER_REFUSED',
  unverified: 'EMAIL_NOT_VERIFIED',
  'not allowed': 'SIGNUP_DISABLED',
} as const satisfies Record<ProviderRefusal, string>;

/** What the sign-in page is told. */
const pageOf: Record<ProviderRefusal, string> = {
  stale: 'stale',
  refused: 'refused',
  unverified: 'unverified',
  'not allowed': 'not-allowed',
};

function problemOf(error: Error): string | undefined {
  if (error instanceof AccountSuspended) return 'suspended';
  return error instanceof AppError && error.code === 'service_unavailable' ? 'away' : undefined;
}

const wantsPage = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') ?? false;

/** A link to the sign-in must not lead to another site, so only paths of this one are taken. */
function ownPath(given: string, origin: string): string {
  const url = URL.canParse(given, origin) ? new URL(given, origin) : undefined;
  if (url?.origin !== origin || /[\\\p{Cc}]/u.test(given)) throw new SignInRefusal('INVALID_CALLBACK_URL');
  // Two slashes would begin the name of a host.
  return url.pathname.replace(/^\/+/, '/') + url.search + url.hash;
}

const ticketForm = /(?:^|;\s*)(?:__Secure-)?steno\.provider=([^;]+)/;
const ticketOf = ({ headers }: FastifyRequest) => ticketForm.exec(headers.cookie ?? '')?.[1] ?? '';

/** `Lax`, because the person comes back from another site. Without a ticket, removes the cookie. */
const ticketCookie = (ticket: string | undefined, secure: boolean) =>
  `${secure ? '__Secure-' : ''}steno.provider=${ticket ?? ''}; Max-Age=${ticket === undefined ? 0 : pendingLifetimeMs / 1000}; Path=${callbackPath}; HttpOnly; ${secure ? 'Secure; ' : ''}SameSite=Lax`;
