import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { AppError } from '../../../domain/errors.ts';
import { AccountSuspended } from '../../../domain/user.ts';
import { noContent } from '../../../kernel/schemas.ts';
import { deviceOf, type SignInDoor } from '../door.ts';
import { answerBadInput, SignInRefusal } from '../refusals.ts';
import { beginSignIn, finishSignIn, type ProviderRefusal, pendingLifetimeMs } from './sign-in.ts';

/** What clients of better-auth call the provider. */
const providerId = z.literal('oidc');
const callbackPath = '/api/auth/callback/oidc';
const chosen = z.object({
  callbackURL: z.string().max(2_000).default('/'),
  disableRedirect: z.boolean().default(false),
});

/** People sign in with an OpenID provider: paths and bodies of better-auth's social and generic OAuth sign-in. */
export function providerAuthRoutes(door: SignInDoor) {
  const redirectUri = (request: FastifyRequest) => door.originFor(request) + callbackPath;

  /** The two plug-ins of better-auth differ in the field that names the provider. */
  const begin = (http: `POST /${string}`, named: typeof chosen) =>
    door.route({
      http,
      body: named,
      answer: z.object({ url: z.string(), redirect: z.boolean() }),
      ownPages: ['cookie', 'origin'],
      async run(context, { request, reply, body }) {
        const next = ownPath(body.callbackURL, door.originFor(request));
        const { url, ticket } = await beginSignIn(context, redirectUri(request), next);
        reply.header('set-cookie', ticketCookie(ticket, door.isSecure(request)));
        return { url, redirect: !body.disableRedirect };
      },
    });

  return [
    begin('POST /sign-in/social', chosen.extend({ provider: providerId })),
    begin('POST /sign-in/oauth2', chosen.extend({ providerId })),

    door.route({
      http: 'GET /callback/oidc',
      answer: z.undefined(),
      responses: { 302: noContent },
      wire: {
        signsIn: true,
        // It uses the provider's code up.
        exposeHeadRoute: false,
        errorHandler(error, request, reply) {
          const problem = problemOf(error);
          return problem !== undefined && wantsPage(request)
            ? reply.redirect(`/sign-in?problem=${problem}`, 302)
            : answerBadInput(error, request, reply);
        },
      },
      async run(context, { request, reply }) {
        const { searchParams: answer } = new URL(request.url, 'http://localhost');
        const outcome = await finishSignIn(
          context,
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
    }),
  ];
}

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
