import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { planNames } from '../../domain/plans.ts';
import { type Device, type SignedIn, sessionCookie, sessionTokenOf } from '../../domain/session.ts';
import type { User } from '../../domain/user.ts';
import type { Kernel } from '../../kernel/run.ts';
import { timestamp } from '../../kernel/schemas.ts';
import { bearerToken } from '../../platform/http/access.ts';
import type { FailureThrottle } from '../../platform/http/failure-throttle.ts';
import { isOwnOrigin, originOf } from '../../platform/http/origin.ts';
import { type RefusalCode, SignInRefusal } from './refusals.ts';

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
export const sessionShape = z.object({
  id: z.uuid(),
  userId: z.uuid(),
  token: z.string(),
  ipAddress: z.string().nullable(),
  userAgent: z.string().nullable(),
  createdAt: timestamp,
  updatedAt: timestamp,
  expiresAt: timestamp,
});

export const toSession = ({ token, session: stored }: SignedIn): z.infer<typeof sessionShape> => ({
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

export type SignInDoor = ReturnType<typeof createSignInDoor>;

/** What all routes that sign people in or out do with the browser. */
export function createSignInDoor(kernel: Kernel, failures: FailureThrottle) {
  const { publicUrl } = kernel.parts.config;
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

  return {
    kernel,
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
      return { session: toSession(signedIn), user: toPerson(signedIn.user) };
    },

    /** The address under which people reach this server. */
    originFor: (request: FastifyRequest) =>
      publicUrl === '' ? originOf(request) : new URL(publicUrl).origin,

    /** If one of these headers shows that a browser sent the request, only pages of our own origin may. */
    ownPagesOnly:
      (...signs: ('cookie' | 'origin')[]) =>
      async (request: FastifyRequest) => {
        if (signs.every((name) => request.headers[name] === undefined) || isOwnOrigin(request, publicUrl))
          return;
        const { origin = 'null' } = request.headers;
        throw new SignInRefusal(origin === 'null' ? 'MISSING_OR_NULL_ORIGIN' : 'INVALID_ORIGIN');
      },
  };
}
