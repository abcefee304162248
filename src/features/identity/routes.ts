import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { signInPage, signInPageHeaders } from '../../console/page.ts';
import { hashSecret } from '../../domain/api-key.ts';
import { maxEmailLength } from '../../domain/email.ts';
import { receivedInvitation } from '../../domain/invitation.ts';
import { hashSessionToken, hasOpenedLink, linkCookie } from '../../domain/session.ts';
import { maxUserNameLength } from '../../domain/user.ts';
import type { Parts } from '../../kernel/parts.ts';
import type { Kernel } from '../../kernel/run.ts';
import { noContent, optionalBody } from '../../kernel/schemas.ts';
import type { FailureThrottle } from '../../platform/http/failure-throttle.ts';
import { join, lookAtLink } from '../invitations/join.ts';
import { isSetupOpenFor } from '../operator/setup/queries.ts';
import { signInWithAppPassword } from './app-passwords/sign-in.ts';
import { sendCode, signInWithCode } from './codes/codes.ts';
import {
  createSignInDoor,
  deviceOf,
  personShape,
  type SignInDoor,
  signedInShape,
  tokenOf,
  toPerson,
  toSignedIn,
} from './door.ts';
import { passkeyRoutes } from './passkeys/routes.ts';
import { providerAuthRoutes } from './provider/routes.ts';
import { endSession } from './provider/sign-in.ts';
import { answerRefusal, SignInRefusal } from './refusals.ts';
import { oneTimeTokenRoutes } from './sessions/one-time-token.ts';
import { findByLink, isSuspended } from './sessions/queries.ts';
import { currentSession, signInWith, signOut } from './sessions/sign-in.ts';

const brokenLinkPage = '/sign-in?problem=link';
const linkQuery = z.object({ token: z.string().max(100) });
const invitationToken = z.object({ token: z.string().max(100) });

const success = z.object({ success: z.literal(true) });
/** `url`: where to go to sign out of the provider as well. */
const signedOut = success.extend({ url: z.string().optional() });

/** People sign in with a code sent by e-mail, a passkey, their provider, an app password, a link that the operator printed, or an invitation to a workspace. */
export const authRoutes =
  (kernel: Kernel, failures: FailureThrottle): FastifyPluginAsync =>
  async (app) => {
    const door = createSignInDoor(kernel, failures);
    const { provider, config } = kernel.parts;
    app.setErrorHandler(answerRefusal);
    // A form without fields has an empty body, but Fastify still needs a parser for its type.
    app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, async () => ({}));
    for (const route of [
      ...sessionRoutes(door, kernel.parts),
      ...codeRoutes(door),
      ...invitationRoutes(door),
      ...linkRoutes(door),
      ...(config.providerOnly ? [] : [...passkeyRoutes(door), ...oneTimeTokenRoutes(door)]),
      ...(provider ? providerAuthRoutes(door) : []),
    ])
      app.route(route);
  };

const sessionRoutes = (door: SignInDoor, { provider, config: { providerOnly } }: Parts) => [
  door.route({
    http: 'GET /sign-in-methods',
    answer: z.object({
      codes: z.boolean(),
      passkeys: z.boolean(),
      provider: z.object({ name: z.string() }).nullable(),
      suspended: z.literal(true).optional(),
    }),
    async run({ db, now }, { request }) {
      const hash = hashSessionToken(tokenOf(request) ?? '');
      const isOut = hash !== undefined && (await isSuspended(db, hash, now));
      return {
        codes: !providerOnly,
        passkeys: !providerOnly,
        provider: provider && { name: provider.name },
        ...(isOut && { suspended: true as const }),
      };
    },
  }),

  door.route({
    http: 'GET /ok',
    answer: z.object({ ok: z.literal(true) }),
    run: async () => ({ ok: true }) as const,
  }),

  door.route({
    http: 'GET /get-session',
    answer: signedInShape.nullable(),
    async run(context, { request, reply }) {
      const token = tokenOf(request);
      const current = token === undefined ? undefined : await currentSession(context, token);
      if (current?.extended) door.setCookie(request, reply, current.token);
      if (token !== undefined && !current) door.setCookie(request, reply);
      return current ? toSignedIn(current) : null;
    },
  }),

  door.route({
    http: 'POST /sign-out',
    body: optionalBody(z.object({})),
    answer: signedOut,
    ownPages: ['cookie'],
    async run(context, { request, reply }) {
      const token = tokenOf(request);
      const ended = token === undefined ? undefined : await signOut(context, token);
      door.setCookie(request, reply);
      // The next person at this browser finds nothing of this one. What the console stores it clears itself.
      reply.header('clear-site-data', '"cache"');
      const page = `${door.originFor(request)}/sign-in`;
      const url = provider && (await endSession(provider, ended?.provider ?? null, page));
      return { success: true, ...(url ? { url } : {}) } as const;
    },
  }),
];

const codeRoutes = (door: SignInDoor) => [
  door.route({
    http: 'POST /email-otp/send-verification-otp',
    body: z.object({ email: z.string(), type: z.literal('sign-in') }),
    answer: success,
    ownPages: ['cookie', 'origin'],
    isOwnWay: true,
    wire: { errorHandler: answerRefusal },
    async run(context, { request, body: { email } }) {
      await sendCode(context, email, request.ip);
      return { success: true } as const;
    },
  }),

  door.route({
    http: 'POST /sign-in/email-otp',
    body: z.object({
      email: z.string(),
      otp: z.string(),
      name: z.string().max(maxUserNameLength).default(''),
    }),
    answer: z.object({ token: z.string(), user: personShape }),
    ownPages: ['cookie'],
    isOwnWay: true,
    wire: { signsIn: true },
    async run(context, { request, reply, body: { email, otp: code, name } }) {
      const outcome = await signInWithCode(context, { email, code, name }, deviceOf(request));
      if ('refused' in outcome) throw new SignInRefusal(refusalOf[outcome.refused]);
      door.setCookie(request, reply, outcome.token);
      return { token: outcome.token, user: toPerson(outcome.user) };
    },
  }),

  door.route({
    http: 'POST /sign-in/email',
    body: z.object({ email: z.string().max(maxEmailLength), password: z.string().max(200) }),
    answer: z.object({ redirect: z.literal(false), token: z.string(), user: personShape }),
    ownPages: ['cookie'],
    isOwnWay: true,
    wire: { signsIn: true },
    async run(context, { request, reply, body }) {
      const signedIn = await signInWithAppPassword(context, body, deviceOf(request));
      if (!signedIn) return door.refuse(request, 'INVALID_EMAIL_OR_PASSWORD', body.email.toLowerCase());
      door.setCookie(request, reply, signedIn.token);
      return { redirect: false, token: signedIn.token, user: toPerson(signedIn.user) } as const;
    },
  }),
];

/** The token is in the body, because addresses are written to logs on their way. */
const invitationRoutes = (door: SignInDoor) => [
  door.route({
    http: 'POST /invitation',
    body: invitationToken,
    answer: z.object({ invitation: receivedInvitation.extend({ needs_code: z.boolean() }) }),
    run: async (context, { body: { token } }) => ({ invitation: await lookAtLink(context, token) }),
  }),

  door.route({
    http: 'POST /sign-in/invitation',
    body: invitationToken.extend({ name: z.string().max(maxUserNameLength).default('') }),
    answer: z.object({ token: z.string(), user: personShape, workspace_id: z.uuid() }),
    ownPages: ['cookie', 'origin'],
    isOwnWay: true,
    wire: { signsIn: true },
    async run(context, { request, reply, body }) {
      const joined = await join(context, body, deviceOf(request));
      door.setCookie(request, reply, joined.token);
      return { token: joined.token, user: toPerson(joined.user), workspace_id: joined.workspaceId };
    },
  }),
];

const linkRoutes = (door: SignInDoor) => [
  door.route({
    http: 'GET /sign-in/link',
    query: linkQuery,
    answer: z.string(),
    responses: { 302: noContent },
    async run({ db, now }, { request, reply, query: { token } }) {
      const user = await findByLink(db, hashSecret(token), now);
      if (!user) return refuseLink(request, reply);
      const path = request.routeOptions.url ?? '';
      reply.header('set-cookie', linkCookie(token, path, { secure: door.isSecure(request) }));
      return reply.type('text/html; charset=utf-8').headers(signInPageHeaders).send(signInPage(user.name));
    },
  }),

  door.route({
    http: 'POST /sign-in/link',
    query: linkQuery,
    answer: z.undefined(),
    responses: { 303: noContent },
    ownPages: ['origin'],
    wire: { signsIn: true },
    async run(context, { request, reply, query: { token } }) {
      if (!hasOpenedLink(request.headers.cookie ?? '', token))
        throw new SignInRefusal('LINK_NOT_OPENED_HERE');
      const signedIn = await signInWith('link', context, token, deviceOf(request));
      if (!signedIn) return refuseLink(request, reply);
      door.setCookie(request, reply, signedIn.token);
      const isNew = await isSetupOpenFor(context, signedIn.user.id);
      return reply.redirect(isNew ? '/operator/setup' : '/', 303);
    },
  }),
];

/** A browser that opens an old link gets the sign-in page of the console, which says what to do. */
function refuseLink(request: FastifyRequest, reply: FastifyReply) {
  if (!request.headers.accept?.includes('text/html')) throw new SignInRefusal('INVALID_LINK');
  return reply.redirect(brokenLinkPage, request.method === 'POST' ? 303 : 302);
}

const refusalOf = { wrong: 'INVALID_OTP', expired: 'OTP_EXPIRED', locked: 'TOO_MANY_ATTEMPTS' } as const;
