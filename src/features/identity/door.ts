import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import { type Access, anyone } from '../../domain/access.ts';
import { planNames } from '../../domain/plans.ts';
import { type Device, type SignedIn, sessionCookie, sessionTokenOf } from '../../domain/session.ts';
import type { User } from '../../domain/user.ts';
import type { ActingContext } from '../../kernel/context.ts';
import { actingContext } from '../../kernel/http.ts';
import type { Kernel } from '../../kernel/run.ts';
import { timestamp } from '../../kernel/schemas.ts';
import { bearerToken } from '../../platform/http/access.ts';
import type { FailureThrottle } from '../../platform/http/failure-throttle.ts';
import { isOwnOrigin, originOf } from '../../platform/http/origin.ts';
import { answerBadInput, type RefusalCode, SignInRefusal } from './refusals.ts';

/** A person and a session in the words of better-auth (docs/decisions/0060 and 0227). */
export const personShape = z.object({
  id: z.uuid(),
  name: z.string(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  image: z.string().nullable(),
  plan: z.enum(planNames),
  createdAt: timestamp,
  updatedAt: timestamp,
});
const sessionShape = z.object({
  id: z.uuid(),
  userId: z.uuid(),
  token: z.string(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  expiresAt: timestamp,
});

/** What a client that signs in gets. */
export const signedInShape = z.object({ session: sessionShape, user: personShape });

export const toSignedIn = (signedIn: SignedIn): z.infer<typeof signedInShape> => ({
  session: toSession(signedIn),
  user: toPerson(signedIn.user),
});

const toSession = ({ token, session: stored }: SignedIn): z.infer<typeof sessionShape> => ({
  id: stored.id,
  userId: stored.user_id,
  token,
  ipAddress: stored.ip_address,
  userAgent: stored.user_agent,
  createdAt: stored.created_at,
  updatedAt: stored.updated_at,
  expiresAt: stored.expires_at,
});

/** The operator entered the address, or a code or the provider proved it, so it counts as verified. Accounts have no picture. */
export const toPerson = ({ id, name, email, plan, created_at }: User): z.infer<typeof personShape> => ({
  id,
  name,
  email,
  emailVerified: true,
  image: null,
  plan,
  createdAt: created_at,
  updatedAt: created_at,
});

/** A token in the header wins over a cookie. */
export function tokenOf({
  headers: { authorization = '', cookie = '' },
}: FastifyRequest): string | undefined {
  return bearerToken(authorization) || sessionTokenOf(cookie);
}

export const deviceOf = ({ ip, headers }: FastifyRequest): Device => ({
  address: ip,
  userAgent: headers['user-agent'] ?? '',
});

interface SignInRoute<Body extends z.ZodType, Query extends z.ZodType, Answer extends z.ZodType> {
  /** Method and path, below /api/auth. */
  readonly http: `${'GET' | 'POST'} /${string}`;
  /** By default anyone may call it. */
  readonly access?: Access;
  readonly body?: Body;
  readonly query?: Query;
  readonly answer: Answer;
  /** Other answers, by status. */
  readonly responses?: Readonly<Record<number, z.ZodType>>;
  /** If one of these headers shows that a browser sent the request, only pages of our own origin may. */
  readonly ownPages?: readonly ('cookie' | 'origin')[];
  /** Refused where people sign in with the provider alone. */
  readonly isOwnWay?: true;
  readonly wire?: Pick<RouteOptions, 'errorHandler' | 'exposeHeadRoute'> & { signsIn?: true };
  run(
    context: ActingContext,
    input: {
      request: FastifyRequest;
      reply: FastifyReply;
      body: z.output<Body>;
      query: z.output<Query>;
    },
  ): Promise<z.input<Answer> | FastifyReply>;
}

export type SignInDoor = ReturnType<typeof createSignInDoor>;

/** What all routes that sign people in or out do with the browser. */
export function createSignInDoor(kernel: Kernel, failures: FailureThrottle) {
  const { publicUrl, providerOnly } = kernel.parts.config;
  const isSecure = ({ protocol }: FastifyRequest) => protocol === 'https' || publicUrl.startsWith('https:');
  /** Without a token, removes the session of the browser. */
  function setCookie(request: FastifyRequest, reply: FastifyReply, token?: string): void {
    reply.header('set-cookie', sessionCookie(token, { secure: isSecure(request) }));
    if (token !== undefined) reply.header('set-auth-token', token);
  }

  /** Counts the failure, and raises it: `rate_limited` if there were too many. `account` is counted too. */
  async function refuse(request: FastifyRequest, code: RefusalCode, account?: string): Promise<never> {
    const failure = await failures.record(request.ip, account);
    throw failure.code === 'rate_limited' ? failure : new SignInRefusal(code);
  }

  function requireOwnPage(request: FastifyRequest): void {
    if (isOwnOrigin(request, publicUrl)) return;
    const { origin = 'null' } = request.headers;
    throw new SignInRefusal(origin === 'null' ? 'MISSING_OR_NULL_ORIGIN' : 'INVALID_ORIGIN');
  }

  return {
    isSecure,
    setCookie,
    refuse,

    /** The browser gets the session. Without one, the sign-in has failed. */
    async letIn(
      request: FastifyRequest,
      reply: FastifyReply,
      signedIn: SignedIn | undefined,
      code: RefusalCode,
    ) {
      if (!signedIn) return refuse(request, code);
      setCookie(request, reply, signedIn.token);
      return toSignedIn(signedIn);
    },

    /** The address under which people reach this server. */
    originFor: (request: FastifyRequest) =>
      publicUrl === '' ? originOf(request) : new URL(publicUrl).origin,

    /** A route with the wire format of better-auth, which these routes replaced (docs/decisions/0060): not in openapi.json. */
    route<
      Answer extends z.ZodType,
      Body extends z.ZodType = z.ZodUndefined,
      Query extends z.ZodType = z.ZodUndefined,
    >(given: SignInRoute<Body, Query, Answer>): RouteOptions {
      const { http, access = anyone, body, query, answer, responses, ownPages = [], isOwnWay, run } = given;
      const { errorHandler = answerBadInput, exposeHeadRoute = true, ...wire } = given.wire ?? {};
      const [method = '', url = ''] = http.split(' ');
      return {
        method,
        url,
        config: { access, ...wire },
        schema: {
          hide: true,
          ...(body && { body }),
          ...(query && { querystring: query }),
          response: { 200: answer, ...responses },
        },
        errorHandler,
        exposeHeadRoute,
        async onRequest(request) {
          if (ownPages.some((name) => request.headers[name] !== undefined)) requireOwnPage(request);
          if (isOwnWay && providerOnly) throw new SignInRefusal('PROVIDER_ONLY');
        },
        async handler(request, reply) {
          reply.header('cache-control', 'no-store');
          // The schemas above have checked both.
          const { body, query } = request as { body: z.output<Body>; query: z.output<Query> };
          return run(actingContext(request, reply, kernel), { request, reply, body, query });
        },
      };
    },
  };
}
