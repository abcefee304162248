import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { signInPage, signInPageHeaders } from '../../console/page.ts';
import { anyone } from '../../domain/access.ts';
import { hashSecret } from '../../domain/api-key.ts';
import { maxEmailLength } from '../../domain/email.ts';
import { receivedInvitation } from '../../domain/invitation.ts';
import { hasOpenedLink, linkCookie } from '../../domain/session.ts';
import { maxUserNameLength } from '../../domain/user.ts';
import { actingContext } from '../../kernel/http.ts';
import type { Kernel } from '../../kernel/run.ts';
import { noContent, optionalBody } from '../../kernel/schemas.ts';
import type { FailureThrottle } from '../../platform/http/failure-throttle.ts';
import type { Invitations } from '../invitations/invitations.ts';
import { isSetupOpenFor } from '../operator/setup/queries.ts';
import { signInWithAppPassword } from './app-passwords/sign-in.ts';
import { sendCode, signInWithCode } from './codes/codes.ts';
import {
  createSignInDoor,
  deviceOf,
  personShape,
  sessionShape,
  tokenOf,
  toPerson,
  toSession,
} from './door.ts';
import { passkeyRoutes } from './passkeys/routes.ts';
import { providerAuthRoutes } from './provider/routes.ts';
import { endSession } from './provider/sign-in.ts';
import { answerBadInput, answerRefusal, SignInRefusal } from './refusals.ts';
import { oneTimeTokenRoutes } from './sessions/one-time-token.ts';
import { findByLink } from './sessions/queries.ts';
import { currentSession, signInWith, signOut } from './sessions/sign-in.ts';

const config = { access: anyone };
/** Not in openapi.json: the wire format is that of better-auth, which these routes replaced (docs/decisions/0060). */
const hide = true;
const brokenLinkPage = '/sign-in?problem=link';
const linkQuery = z.object({ token: z.string().max(100) });
const invitationToken = z.object({ token: z.string().max(100) });

const success = z.object({ success: z.literal(true) });
/** `url`: where to go to sign out of the provider as well. */
const signedOut = success.extend({ url: z.string().optional() });

/** People sign in with a code sent by e-mail, a passkey, their provider, an app password, a link that the operator printed, or an invitation to a workspace. */
export const authRoutes =
  (kernel: Kernel, failures: FailureThrottle, invitations: Invitations): FastifyPluginAsyncZod =>
  async (app) => {
    const { provider, config: settings } = kernel.parts;
    // Then only the provider and links of the operator sign people in.
    const { providerOnly } = settings;
    app.setErrorHandler(answerRefusal);

    const door = createSignInDoor(kernel, failures);
    const { isSecure, setCookie, ownPagesOnly } = door;
    const contextOf = (request: FastifyRequest, reply: FastifyReply) => actingContext(request, reply, kernel);
    const unlessProviderOnly = async () => {
      if (providerOnly) throw new SignInRefusal('PROVIDER_ONLY');
    };
    if (!providerOnly) {
      await app.register(passkeyRoutes(door));
      await app.register(oneTimeTokenRoutes(door));
    }
    if (provider) await app.register(providerAuthRoutes(door));

    app.route({
      method: 'GET',
      url: '/sign-in-methods',
      config,
      schema: {
        hide,
        response: {
          200: z.object({
            codes: z.boolean(),
            passkeys: z.boolean(),
            provider: z.object({ name: z.string() }).nullable(),
          }),
        },
      },
      handler: async () => ({
        codes: !providerOnly,
        passkeys: !providerOnly,
        provider: provider && { name: provider.name },
      }),
    });

    app.route({
      method: 'GET',
      url: '/ok',
      config,
      schema: { hide, response: { 200: z.object({ ok: z.literal(true) }) } },
      handler: async () => ({ ok: true }) as const,
    });

    app.route({
      method: 'GET',
      url: '/get-session',
      config,
      schema: { hide, response: { 200: z.object({ session: sessionShape, user: personShape }).nullable() } },
      handler: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        const token = tokenOf(request);
        const current =
          token === undefined ? undefined : await currentSession(contextOf(request, reply), token);
        if (current?.extended) setCookie(request, reply, current.token);
        if (token !== undefined && !current) setCookie(request, reply);
        return current ? { session: toSession(current), user: toPerson(current.user) } : null;
      },
    });

    app.route({
      method: 'POST',
      url: '/email-otp/send-verification-otp',
      config,
      schema: {
        hide,
        body: z.object({ email: z.string(), type: z.literal('sign-in') }),
        response: { 200: success },
      },
      onRequest: [ownPagesOnly('cookie', 'origin'), unlessProviderOnly],
      handler: async (request, reply) => {
        await sendCode(contextOf(request, reply), request.body.email, request.ip);
        return { success: true } as const;
      },
    });

    app.route({
      method: 'POST',
      url: '/sign-in/email-otp',
      config: { ...config, signsIn: true },
      schema: {
        hide,
        body: z.object({
          email: z.string(),
          otp: z.string(),
          name: z.string().max(maxUserNameLength).default(''),
        }),
        response: { 200: z.object({ token: z.string(), user: personShape }) },
      },
      errorHandler: answerBadInput,
      onRequest: [ownPagesOnly('cookie'), unlessProviderOnly],
      handler: async (request, reply) => {
        const { email, otp: code, name } = request.body;
        const given = { email, code, name };
        const outcome = await signInWithCode(contextOf(request, reply), given, deviceOf(request));
        if ('refused' in outcome) throw new SignInRefusal(refusalOf[outcome.refused]);
        setCookie(request, reply, outcome.token);
        return { token: outcome.token, user: toPerson(outcome.user) };
      },
    });

    app.route({
      method: 'POST',
      url: '/sign-in/email',
      config: { ...config, signsIn: true },
      schema: {
        hide,
        body: z.object({ email: z.string().max(maxEmailLength), password: z.string().max(200) }),
        response: { 200: z.object({ redirect: z.literal(false), token: z.string(), user: personShape }) },
      },
      errorHandler: answerBadInput,
      onRequest: [ownPagesOnly('cookie'), unlessProviderOnly],
      handler: async (request, reply) => {
        const context = contextOf(request, reply);
        const signedIn = await signInWithAppPassword(context, request.body, deviceOf(request));
        if (!signedIn)
          return door.refuse(request, 'INVALID_EMAIL_OR_PASSWORD', request.body.email.toLowerCase());
        setCookie(request, reply, signedIn.token);
        return { redirect: false, token: signedIn.token, user: toPerson(signedIn.user) } as const;
      },
    });

    app.route({
      method: 'GET',
      url: '/sign-in/link',
      config,
      schema: { hide, querystring: linkQuery, response: { 200: z.string(), 302: noContent } },
      errorHandler: answerBadInput,
      handler: async (request, reply) => {
        const { token } = request.query;
        const { db, now } = contextOf(request, reply);
        const user = await findByLink(db, hashSecret(token), now);
        if (!user) return refuseLink(request, reply);
        const path = request.routeOptions.url ?? '';
        reply.header('set-cookie', linkCookie(token, path, { secure: isSecure(request) }));
        return reply.type('text/html; charset=utf-8').headers(signInPageHeaders).send(signInPage(user.name));
      },
    });

    // The token is in the body, because addresses are written to logs on their way.
    app.route({
      method: 'POST',
      url: '/invitation',
      config,
      schema: {
        hide,
        body: invitationToken,
        response: {
          200: z.object({ invitation: receivedInvitation.extend({ needs_code: z.boolean() }) }),
        },
      },
      errorHandler: answerBadInput,
      handler: async (request) => {
        const invitation = await invitations.lookByLink(request.body.token);
        if (!invitation) throw new SignInRefusal('INVALID_INVITATION');
        return { invitation };
      },
    });

    app.route({
      method: 'POST',
      url: '/sign-in/invitation',
      config: { ...config, signsIn: true },
      schema: {
        hide,
        body: invitationToken.extend({ name: z.string().max(maxUserNameLength).default('') }),
        response: { 200: z.object({ token: z.string(), user: personShape, workspace_id: z.uuid() }) },
      },
      errorHandler: answerBadInput,
      onRequest: [ownPagesOnly('cookie', 'origin'), unlessProviderOnly],
      handler: async (request, reply) => {
        const { token, name } = request.body;
        const outcome = await invitations.join(token, name, deviceOf(request));
        if ('refused' in outcome) throw new SignInRefusal(invitationRefusalOf[outcome.refused]);
        setCookie(request, reply, outcome.token);
        const { token: session, user, workspaceId: workspace_id } = outcome;
        return { token: session, user: toPerson(user), workspace_id };
      },
    });

    // A form without fields has an empty body, but Fastify still needs a parser for its type.
    app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async () => ({}));
    app.route({
      method: 'POST',
      url: '/sign-in/link',
      config: { ...config, signsIn: true },
      schema: { hide, querystring: linkQuery, response: { 303: noContent } },
      errorHandler: answerBadInput,
      onRequest: ownPagesOnly('origin'),
      handler: async (request, reply) => {
        const { token } = request.query;
        if (!hasOpenedLink(request.headers.cookie ?? '', token))
          throw new SignInRefusal('LINK_NOT_OPENED_HERE');
        const context = contextOf(request, reply);
        const signedIn = await signInWith('link', context, token, deviceOf(request));
        if (!signedIn) return refuseLink(request, reply);
        setCookie(request, reply, signedIn.token);
        const isNew = await isSetupOpenFor(context, signedIn.user.id);
        return reply.header('cache-control', 'no-store').redirect(isNew ? '/operator/setup' : '/', 303);
      },
    });

    app.route({
      method: 'POST',
      url: '/sign-out',
      config,
      schema: { hide, body: optionalBody(z.object({})), response: { 200: signedOut } },
      errorHandler: answerBadInput,
      onRequest: ownPagesOnly('cookie'),
      handler: async (request, reply) => {
        const token = tokenOf(request);
        const ended = token === undefined ? undefined : await signOut(contextOf(request, reply), token);
        setCookie(request, reply);
        // The next person at this browser finds nothing of this one. What the console stores it clears itself.
        reply.header('clear-site-data', '"cache"');
        const page = `${door.originFor(request)}/sign-in`;
        const url = provider && (await endSession(provider, ended?.provider ?? null, page));
        return { success: true, ...(url ? { url } : {}) } as const;
      },
    });
  };

/** A browser that opens an old link gets the sign-in page of the console, which says what to do. */
function refuseLink(request: FastifyRequest, reply: FastifyReply) {
  if (!request.headers.accept?.includes('text/html')) throw new SignInRefusal('INVALID_LINK');
  return reply.redirect(brokenLinkPage, request.method === 'POST' ? 303 : 302);
}

const refusalOf = { wrong: 'INVALID_OTP', expired: 'OTP_EXPIRED', locked: 'TOO_MANY_ATTEMPTS' } as const;

const invitationRefusalOf = {
  'not found': 'INVALID_INVITATION',
  'has account': 'ACCOUNT_EXISTS',
  'needs code': 'CODE_REQUIRED',
} as const;
