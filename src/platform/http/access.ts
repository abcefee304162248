import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { anyone, recognises, refusal } from '../../domain/access.ts';
import type { CountRefusal } from '../../domain/audit.ts';
import { AppError } from '../../domain/errors.ts';
import type { Plans } from '../../domain/plans.ts';
import type { Principal } from '../../domain/principal.ts';
import {
  dayMs,
  minuteMs,
  type RateDecision,
  type RateLimiter,
  type RateLimits,
  retryAfterSeconds,
} from '../../domain/rate-limit.ts';
import { sessionTokenOf } from '../../domain/session.ts';
import type { Authentication } from '../../features/identity/authentication.ts';
import type { Clock } from '../../lib/clock.ts';
import { includesAddress } from '../../lib/network.ts';
import { per } from '../../lib/per.ts';
import type { FailureThrottle } from './failure-throttle.ts';
import type { Metrics } from './metrics.ts';
import { isOwnOrigin } from './origin.ts';

/** The `config` of a path or method that is not there. */
export const nowhere = { access: anyone, cost: 0 } as const;

/** The header of requests that tools of `/mcp` make (mcp/call.ts). Its value is known to this process alone. */
export const toolHeader = { 'steno-tool': randomBytes(32).toString('base64url') } as const;

interface ChargeDependencies {
  limiter: RateLimiter;
  metrics: Metrics;
  plans: Plans;
  clock: Clock;
}

interface Dependencies extends ChargeDependencies {
  authentication: Authentication;
  failures: FailureThrottle;
  refused: CountRefusal;
  publicUrl: string;
}

export type Charge = ReturnType<typeof createCharge>;

/** Counts a call in the rate limits of the caller and sets the headers. Raises `rate_limited`, but not for the cost 0. */
export function createCharge({ limiter, plans, clock, metrics }: ChargeDependencies) {
  return async (principal: Principal, cost: number, reply: FastifyReply): Promise<void> => {
    const decision = await limiter.take(principal.limitKey, cost, plans[principal.plan]);
    const now = clock();
    setRateHeaders(reply, decision, cost, now);
    // After a plan was lowered even 0 may not fit.
    if (decision.allowed || cost === 0) return;
    metrics.rateLimited.inc();
    throw new AppError('rate_limited', 'Too many requests. Wait as long as Retry-After says.', {
      retryAfterSeconds: retryAfterSeconds(decision, cost, now),
    });
  };
}

/** Enforces the access of the route, in the order of the contract: credential, rate limit, kind, scope, plan, policy. */
export function createAccessHook(dependencies: Dependencies) {
  const { authentication, failures, refused, plans, metrics, publicUrl } = dependencies;
  const charge = createCharge(dependencies);

  /** Without a promise more than a key needs: this runs before every call. */
  const identify = (request: FastifyRequest) =>
    request.headers.authorization === undefined
      ? identifyByCookie(request)
      : currentPrincipal(authentication, request);

  async function identifyByCookie(request: FastifyRequest): Promise<Principal | undefined> {
    const principal = await currentPrincipal(authentication, request);
    if (principal) {
      refuseForgery(request, publicUrl);
      refuseOtherPerson(principal, request);
    }
    return principal;
  }

  function count(principal: Principal, cost: number, request: FastifyRequest, reply: FastifyReply) {
    request.principal = principal;
    return charge(principal, cost, reply);
  }

  /** Where no credential is needed, a known key still gets its rate limit headers. A 404 or 405 costs nothing. */
  async function countIfKnown(request: FastifyRequest, reply: FastifyReply, cost: number): Promise<void> {
    if (request.headers.authorization === undefined || !/^(\/api)?\/v1\//.test(request.url)) return;
    const principal = await identify(request);
    if (principal && principal.kind !== 'agent') await count(principal, cost, request, reply);
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { access, cost = 1 } = request.is404 ? nowhere : request.routeOptions.config;
    if (access === undefined) throw new Error('A route without access was registered.');
    if (access.credential === 'none') return countIfKnown(request, reply, cost);

    const principal = await identify(request);
    if (!principal || !recognises(access, principal)) {
      metrics.failedAuthentications.inc();
      if (request.headers.authorization !== undefined || request.headers.cookie !== undefined)
        refused('credential.refused', request.ip);
      throw await failures.record(request.ip);
    }
    await count(principal, cost, request, reply);
    refuseOtherAddress(principal, request.ip);
    const forbidden = refusal(access, principal, plans);
    if (forbidden) throw forbidden;
  };
}

const noPrincipal = Promise.resolve(undefined);

/** Whose credential the request has. Undefined if it does not work now, so a long stream asks again. */
export function currentPrincipal(
  authentication: Authentication,
  request: FastifyRequest,
): Promise<Principal | undefined> {
  const { authorization, cookie } = request.headers;
  if (authorization !== undefined) {
    const token = bearerToken(authorization);
    return token === undefined
      ? noPrincipal
      : authentication.authenticate(token, routeOf(request), { byAssistant: isByAssistant(request) });
  }
  const token = cookie === undefined ? undefined : sessionTokenOf(cookie);
  return token === undefined ? noPrincipal : authentication.authenticateSession(token);
}

/** Whether the caller may still call this route: for an answer that goes on for minutes. */
export const createStillAllowed =
  ({ authentication, plans }: Pick<Dependencies, 'authentication' | 'plans'>) =>
  async (request: FastifyRequest): Promise<boolean> => {
    const principal = await currentPrincipal(authentication, request);
    const { access } = request.routeOptions.config;
    return (
      principal !== undefined &&
      access !== undefined &&
      worksFrom(principal, request.ip) &&
      refusal(access, principal, plans) === null
    );
  };

const isByAssistant = ({ headers, routeOptions }: FastifyRequest) =>
  routeOptions.url === '/mcp' || headers['steno-tool'] === toolHeader['steno-tool'];

const routeOf = ({ method, routeOptions }: FastifyRequest) => `${method} ${routeOptions.url ?? 'unknown'}`;

const worksFrom = ({ allowedAddresses }: Principal, address: string) =>
  allowedAddresses === null || includesAddress(allowedAddresses, address);

function refuseOtherAddress(principal: Principal, address: string): void {
  if (!worksFrom(principal, address))
    throw new AppError('forbidden', 'This key does not work from your address; use a key that does.');
}

/** A browser sends our cookies with requests of any page, but only our own pages may change anything. */
function refuseForgery(request: FastifyRequest, publicUrl: string): void {
  if (request.method === 'GET' || request.method === 'HEAD' || isOwnOrigin(request, publicUrl)) return;
  throw new AppError('forbidden', 'A request with a session cookie must have the Origin of this server.');
}

/** A page of the console names its user. Another tab may have signed in as another person, and all tabs share the cookie. */
function refuseOtherPerson(
  { userId }: Principal,
  { headers: { 'steno-user': named } }: FastifyRequest,
): void {
  if (named !== undefined && named !== userId)
    throw new AppError('invalid_api_key', 'Another person is signed in now.');
}

export function bearerToken(header: string): string | undefined {
  return header.slice(0, 7).toLowerCase() === 'bearer ' ? header.slice(7).trim() : undefined;
}

/**
 * `X-RateLimit-*` describe the minute, or the day once that is used up. The IETF headers
 * (draft-ietf-httpapi-ratelimit-headers) describe both.
 */
function setRateHeaders(reply: FastifyReply, { plan, usage }: RateDecision, cost: number, now: number): void {
  const minuteLeft = Math.max(0, plan.requestsPerMinute - usage.minuteUsed);
  const dayLeft = Math.max(0, plan.requestsPerDay - usage.dayUsed);
  const minuteEnd = usage.minuteStart + minuteMs;
  const dayEnd = usage.dayStart + dayMs;
  const dayIsSpent = dayLeft < Math.max(1, cost);
  const secondsUntil = (end: number) => Math.max(0, Math.ceil((end - now) / 1000));
  reply.header('x-ratelimit-limit', dayIsSpent ? plan.requestsPerDay : plan.requestsPerMinute);
  reply.header('x-ratelimit-remaining', dayIsSpent ? dayLeft : minuteLeft);
  reply.header('x-ratelimit-reset', (dayIsSpent ? dayEnd : minuteEnd) / 1000);
  reply.header('ratelimit-policy', policyField(plan));
  reply.header(
    'ratelimit',
    `"minute";r=${minuteLeft};t=${secondsUntil(minuteEnd)}, "day";r=${dayLeft};t=${secondsUntil(dayEnd)}`,
  );
}

/** The same for all requests of a plan. */
const policyField = per(
  ({ requestsPerMinute, requestsPerDay }: RateLimits) =>
    `"minute";q=${requestsPerMinute};w=60, "day";q=${requestsPerDay};w=86400`,
);
