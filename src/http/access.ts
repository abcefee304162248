import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { recognises, refusal } from '../domain/access.ts';
import { AppError } from '../domain/errors.ts';
import type { Plan, Plans } from '../domain/plans.ts';
import type { Principal } from '../domain/principal.ts';
import { dayMs, minuteMs, type RateDecision, retryAfterSeconds } from '../domain/rate-limit.ts';
import { sessionTokenOf } from '../domain/session.ts';
import type { Clock } from '../ports/clock.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { Authentication } from '../services/authentication.ts';
import type { FailureThrottle } from './failure-throttle.ts';
import type { Metrics } from './metrics.ts';
import { isOwnOrigin } from './origin.ts';

interface Dependencies {
  authentication: Authentication;
  limiter: RateLimiter;
  failures: FailureThrottle;
  metrics: Metrics;
  plans: Plans;
  clock: Clock;
  publicUrl: string;
}

/**
 * Enforces what the route says of itself, in the contract's order: credential, rate limit, kind, scope, plan, policy.
 * For a cached key on one process all of it happens without leaving the turn, hence callbacks and not async.
 */
export function createAccessHook(dependencies: Dependencies) {
  const { authentication, limiter, failures, plans, clock, metrics, publicUrl } = dependencies;

  function identify(request: FastifyRequest): Principal | undefined | Promise<Principal | undefined> {
    const { authorization, cookie } = request.headers;
    if (authorization !== undefined) {
      const token = bearerToken(authorization);
      return token === undefined ? undefined : authentication.authenticate(token);
    }
    const token = cookie === undefined ? undefined : sessionTokenOf(cookie);
    if (token === undefined) return undefined;
    return authentication.authenticateSession(token).then((principal) => {
      if (principal) refuseForgery(request, publicUrl);
      return principal;
    });
  }

  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    const { access, cost = 1 } = request.routeOptions.config;
    if (access === undefined || access.credential === 'none') {
      done();
      return;
    }

    const admit = (principal: Principal, decision: RateDecision): void => {
      const now = clock();
      setRateHeaders(reply, decision, now);
      if (!decision.allowed) {
        metrics.rateLimited.inc();
        throw new AppError('rate_limited', 'Too many requests; wait as long as Retry-After says.', {
          retryAfterSeconds: retryAfterSeconds(decision, cost, now),
        });
      }
      const refused = refusal(access, principal, plans);
      if (refused) throw refused;
    };
    const count = (principal: Principal | undefined): void | Promise<void> => {
      if (!principal || !recognises(access, principal)) {
        metrics.failedAuthentications.inc();
        throw failures.record(request.ip);
      }
      request.principal = principal;
      return whenReady(limiter.take(principal.limitKey, cost, plans[principal.plan]), (decision) =>
        admit(principal, decision),
      );
    };

    try {
      const outcome = whenReady(identify(request), count);
      if (outcome instanceof Promise) outcome.then(() => done(), done);
      else done();
    } catch (error) {
      done(error instanceof Error ? error : new Error('access check failed', { cause: error }));
    }
  };
}

/** Goes on at once with a value, or later with a promised one. */
function whenReady<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** A browser sends cookies with whatever page's request; only what our own pages ask for may change anything. */
function refuseForgery(request: FastifyRequest, publicUrl: string): void {
  if (request.method === 'GET' || request.method === 'HEAD' || isOwnOrigin(request, publicUrl)) return;
  throw new AppError('forbidden', 'With a session cookie, send the Origin of this server.');
}

function bearerToken(header: string): string | undefined {
  return header.slice(0, 7).toLowerCase() === 'bearer ' ? header.slice(7).trim() : undefined;
}

/** The classic fields speak of the minute; the IETF ones (draft-ietf-httpapi-ratelimit-headers) of both windows. */
function setRateHeaders(reply: FastifyReply, { plan, usage }: RateDecision, now: number): void {
  const minuteLeft = Math.max(0, plan.requestsPerMinute - usage.minuteUsed);
  const dayLeft = Math.max(0, plan.requestsPerDay - usage.dayUsed);
  const minuteEnd = usage.minuteStart + minuteMs;
  const secondsUntil = (end: number) => Math.max(0, Math.ceil((end - now) / 1000));
  reply.header('x-ratelimit-limit', plan.requestsPerMinute);
  reply.header('x-ratelimit-remaining', minuteLeft);
  reply.header('x-ratelimit-reset', minuteEnd / 1000);
  reply.header('ratelimit-policy', policyField(plan));
  reply.header(
    'ratelimit',
    `"minute";r=${minuteLeft};t=${secondsUntil(minuteEnd)}, "day";r=${dayLeft};t=${secondsUntil(usage.dayStart + dayMs)}`,
  );
}

const policyField = (plan: Plan) =>
  `"minute";q=${plan.requestsPerMinute};w=60, "day";q=${plan.requestsPerDay};w=86400`;
