import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { anyone } from '../../domain/access.ts';
import { receivedInvitation } from '../../domain/invitation.ts';
import { planNames } from '../../domain/plans.ts';
import {
  hasOpenedLink,
  linkCookie,
  type SignedIn,
  sessionCookie,
  sessionTokenOf,
} from '../../domain/session.ts';
import { maxUserNameLength, type User } from '../../domain/user.ts';
import type { EmailCodes } from '../../services/email-codes.ts';
import type { Invitations } from '../../services/invitations.ts';
import type { Sessions } from '../../services/sessions.ts';
import { bearerToken } from '../access.ts';
import { signInPage, signInPageHeaders } from '../console/page.ts';
import { isOwnOrigin } from '../origin.ts';
import { noContent, optionalBody, timestamp } from '../schemas.ts';
import { answerBadInput, answerRefusal, SignInRefusal } from '../sign-in-refusal.ts';

interface Dependencies {
  sessions: Sessions;
  codes: EmailCodes;
  invitations: Invitations;
  publicUrl: string;
}

const config = { access: anyone };
/** Not in openapi.json: the wire format is that of better-auth, which these routes replaced (docs/decisions/0060). */
const hide = true;
const brokenLinkPage = '/sign-in?problem=link';
const linkQuery = z.object({ token: z.string().max(100) });
const invitationToken = z.object({ token: z.string().max(100) });

const success = z.object({ success: z.literal(true) });
const person = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  image: z.string().nullable(),
  plan: z.enum(planNames),
  createdAt: timestamp,
  updatedAt: timestamp,
});
const session = z.object({
  id: z.uuid(),
  userId: z.uuid(),
  token: z.string(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  expiresAt: timestamp,
});

/** People sign in with a code sent by e-mail, a link that the operator printed, or an invitation to a workspace. */
export const authRoutes =
  ({ sessions, codes, invitations, publicUrl }: Dependencies): FastifyPluginAsyncZod =>
  async (app) => {
    app.setErrorHandler(answerRefusal);

    const isSecure = ({ protocol }: FastifyRequest) => protocol === 'https' || publicUrl.startsWith('https:');
    const setCookie = (request: FastifyRequest, reply: FastifyReply, token?: string) => {
      reply.header('set-cookie', sessionCookie(token, { secure: isSecure(request) }));
      if (token !== undefined) reply.header('set-auth-token', token);
    };
    /** If one of these headers shows that a browser sent the request, only pages of our own origin may. */
    const ownPagesOnly =
      (...signs: ('cookie' | 'origin')[]) =>
      async (request: FastifyRequest) => {
        if (signs.every((name) => request.headers[name] === undefined) || isOwnOrigin(request, publicUrl))
          return;
        const { origin = 'null' } = request.headers;
        throw new SignInRefusal(origin === 'null' ? 'MISSING_OR_NULL_ORIGIN' : 'INVALID_ORIGIN');
      };

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
      schema: { hide, response: { 200: z.object({ session, user: person }).nullable() } },
      handler: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        const token = tokenOf(request);
        const current = token === undefined ? undefined : await sessions.current(token);
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
      onRequest: ownPagesOnly('cookie', 'origin'),
      handler: async (request) => {
        await codes.send(request.body.email, request.ip);
        return { success: true } as const;
      },
    });

    app.route({
      method: 'POST',
      url: '/sign-in/email-otp',
      config,
      schema: {
        hide,
        body: z.object({
          email: z.string(),
          otp: z.string(),
          name: z.string().max(maxUserNameLength).default(''),
        }),
        response: { 200: z.object({ token: z.string(), user: person }) },
      },
      errorHandler: answerBadInput,
      onRequest: ownPagesOnly('cookie'),
      handler: async (request, reply) => {
        const { email, otp: code, name } = request.body;
        const outcome = await codes.signIn({ email, code, name }, deviceOf(request));
        if ('refused' in outcome) throw new SignInRefusal(refusalOf[outcome.refused]);
        setCookie(request, reply, outcome.token);
        return { token: outcome.token, user: toPerson(outcome.user) };
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
        const user = await sessions.findByLink(token);
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
      config,
      schema: {
        hide,
        body: invitationToken.extend({ name: z.string().max(maxUserNameLength).default('') }),
        response: { 200: z.object({ token: z.string(), user: person, workspace_id: z.uuid() }) },
      },
      errorHandler: answerBadInput,
      onRequest: ownPagesOnly('cookie', 'origin'),
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
      config,
      schema: { hide, querystring: linkQuery, response: { 303: noContent } },
      errorHandler: answerBadInput,
      onRequest: ownPagesOnly('origin'),
      handler: async (request, reply) => {
        const { token } = request.query;
        if (!hasOpenedLink(request.headers.cookie ?? '', token))
          throw new SignInRefusal('LINK_NOT_OPENED_HERE');
        const signedIn = await sessions.signInWithLink(token, deviceOf(request));
        if (!signedIn) return refuseLink(request, reply);
        setCookie(request, reply, signedIn.token);
        return reply.header('cache-control', 'no-store').redirect('/', 303);
      },
    });

    app.route({
      method: 'POST',
      url: '/sign-out',
      config,
      schema: { hide, body: optionalBody(z.object({})), response: { 200: success } },
      errorHandler: answerBadInput,
      onRequest: ownPagesOnly('cookie'),
      handler: async (request, reply) => {
        const token = tokenOf(request);
        if (token !== undefined) await sessions.signOut(token);
        setCookie(request, reply);
        // The next person at this browser finds nothing of this one. What the console stores it clears itself.
        reply.header('clear-site-data', '"cache"');
        return { success: true } as const;
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

/** A token in the header wins over a cookie. */
function tokenOf({ headers: { authorization = '', cookie = '' } }: FastifyRequest): string | undefined {
  return bearerToken(authorization) || sessionTokenOf(cookie);
}

const deviceOf = ({ ip, headers }: FastifyRequest) => ({
  address: ip,
  userAgent: headers['user-agent'] ?? '',
});

const toSession = ({ token, session: stored }: SignedIn): z.infer<typeof session> => ({
  id: stored.id,
  userId: stored.user_id,
  token,
  ipAddress: stored.ip_address,
  userAgent: stored.user_agent,
  createdAt: stored.created_at,
  updatedAt: stored.updated_at,
  expiresAt: stored.expires_at,
});

/** The operator entered the address or a code proved it, so it counts as verified. Accounts have no picture. */
const toPerson = ({ id, name, email, plan, created_at }: User): z.infer<typeof person> => ({
  id,
  name,
  email,
  emailVerified: true,
  image: null,
  plan,
  createdAt: created_at,
  updatedAt: created_at,
});
