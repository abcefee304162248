import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ZodTypeProvider } from '@fastify/type-provider-zod';
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import type { Config } from './config.ts';
import { docsRoutes } from './console/docs.ts';
import { answerConsoleLinks, consoleRoutes } from './console/routes.ts';
import type { CountRefusal } from './domain/audit.ts';
import type { AppError } from './domain/errors.ts';
import type { Plans } from './domain/plans.ts';
import type { RateLimiter } from './domain/rate-limit.ts';
import type { Authentication } from './features/identity/authentication.ts';
import { oauthRoutes } from './features/identity/oauth/routes.ts';
import { authRoutes } from './features/identity/routes.ts';
import { features } from './features/index.ts';
import { healthRoutes, type Readiness } from './features/operator/health.ts';
import { announceTus } from './features/recordings/uploads/tus.ts';
import { createAlone } from './kernel/alone.ts';
import { mountFeatures } from './kernel/http.ts';
import type { Parts } from './kernel/parts.ts';
import { completeRoutes } from './kernel/route.ts';
import type { Kernel } from './kernel/run.ts';
import { zodValidator } from './kernel/schemas.ts';
import type { Clock } from './lib/clock.ts';
import type { Log } from './lib/log.ts';
import { newUuid } from './lib/uuid.ts';
import { describeRoutes } from './openapi/describe.ts';
import type { Database } from './platform/database/database.ts';
import type { IdempotencyStore } from './platform/database/idempotency.ts';
import {
  createAccessHook,
  createCharge,
  createStillAllowed,
  currentPrincipal,
} from './platform/http/access.ts';
import { createObserver, goTogether, limitRequestTime } from './platform/http/arrival.ts';
import { acceptJson, maxJsonBytes } from './platform/http/body.ts';
import { answerBrokenRequest } from './platform/http/broken-requests.ts';
import { compressAnswer } from './platform/http/compress.ts';
import { createCorsHook } from './platform/http/cors.ts';
import { createErrorHandler, createExplainError, watchStreams } from './platform/http/errors.ts';
import { answerIfNew } from './platform/http/etag.ts';
import { createEventStreams } from './platform/http/event-stream.ts';
import { createFailureThrottle } from './platform/http/failure-throttle.ts';
import { nothingHere, refuseOtherMethods } from './platform/http/method-not-allowed.ts';
import type { Metrics } from './platform/http/metrics.ts';
import { answerWithWantedError } from './platform/http/sandbox.ts';
import { pickingSerializer } from './platform/http/serialize.ts';

export interface AppDependencies {
  config: Config;
  log: Log;
  clock: Clock;
  plans: Plans;
  metrics: Metrics;
  unavailable(fault: unknown): AppError | undefined;
  authentication: Authentication;
  /** Counts credentials that do not work. */
  audit: { refused: CountRefusal };
  limiter: RateLimiter;
  failures: RateLimiter;
  idempotency: IdempotencyStore;
  readiness: Readiness;
  database: Database;
  parts: Parts;
}

interface AppOptions {
  /** Whether `app.swagger()` must work. */
  describe: boolean;
  /** Whether callers may ask for errors; see sandbox.ts. */
  sandbox: boolean;
  /** The server of tools for assistants. It is passed in, because `mcp` imports `http`; its tools are the finished routes. */
  mountMcp: (
    app: FastifyInstance,
    dependencies: AppDependencies,
    routes: readonly RouteOptions[],
  ) => Promise<void>;
}

/** The table of contents of the API: every registration, in order. */
export async function buildApp(dependencies: AppDependencies, options: AppOptions) {
  const { config, log, clock, metrics } = dependencies;
  const observer = createObserver(log, metrics);
  const explainError = createExplainError(dependencies);
  const answerError = createErrorHandler(explainError, config.publicUrl);
  const cors = createCorsHook(config.corsOrigins);
  const app: FastifyInstance = Fastify({
    bodyLimit: maxJsonBytes,
    // Counted in arrival.ts.
    requestTimeout: 0,
    http: {
      headersTimeout: config.headersTimeoutMs,
      connectionsCheckingInterval: 1_000,
      // Node's own answer would have no body; body.ts sends ours.
      requireHostHeader: false,
    },
    // A request may contain the whole URL (RFC 9112, 3.2.2); the router needs the path.
    rewriteUrl: ({ url = '/' }) => (url.startsWith('/') ? url : pathOf(url)),
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    genReqId: requestId,
    clientErrorHandler: (fault, socket) => answerBrokenRequest(fault, socket),
    // While the server stops, it still answers requests that have arrived. Fastify's own 503 would not be our envelope.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 500 },
    // Otherwise Fastify loads its own compilers with Ajv, which takes 5 MB. Ours are set below.
    schemaController: { compilersFactory: { buildValidator: setBelow, buildSerializer: setBelow } },
    // For URLs that the router itself refuses. No hook runs for them.
    frameworkErrors: (error, request, reply) => {
      observer.begin(request, reply, () => {});
      cors(request, reply, () => answerError(error, request, reply));
      observer.end(request, reply, () => {});
    },
  }).withTypeProvider<ZodTypeProvider>();

  // A client that has closed its side still waits for its answer. Without this, Node hangs up on it. Its types lack the field.
  Object.assign(app.server, { httpAllowHalfOpen: true });
  // Otherwise Node answers 417 without a body. A server may ignore an expectation (RFC 9110, 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // Otherwise Node hangs up without a word.
  app.server.on('connect', (_request, socket) => answerBrokenRequest(new Error('CONNECT'), socket));
  app.setValidatorCompiler(zodValidator);
  app.setSerializerCompiler(pickingSerializer);
  app.setErrorHandler(answerError);
  watchStreams(app, explainError);
  app.setNotFoundHandler(async () => {
    throw nothingHere();
  });
  acceptJson(app);

  const failures = createFailureThrottle(dependencies.failures, config.authFailuresPerMinute, clock);
  app.decorateRequest('principal', null);
  app.decorateRequest('startedAt', 0);
  app.decorateRequest('uploadDigest', '');
  app.decorateRequest('isStrict', false);
  app.decorateRequest('made', null);
  app.decorateRequest('claim', null);
  app.decorateReply('revision', 0);
  app.addHook('onRequest', observer.begin);
  app.addHook('onResponse', observer.end);
  app.addHook('onRequest', goTogether());
  app.addHook('onRequest', limitRequestTime(config.requestTimeoutMs));
  app.addHook('onRequest', announceTus);
  app.addHook('onRequest', cors);
  app.addHook('onRequest', answerConsoleLinks);
  app.addHook(
    'onRequest',
    createAccessHook({
      ...dependencies,
      failures,
      refused: dependencies.audit.refused,
      publicUrl: config.publicUrl,
    }),
  );
  if (options.sandbox) app.addHook('onRequest', answerWithWantedError);
  app.addHook('onSend', answerIfNew);
  app.addHook('onSend', compressAnswer);
  const routes = completeRoutes(app, { ...dependencies, strictByDefault: options.sandbox });
  if (options.describe) await describeRoutes(app);

  const streams = createEventStreams(app, createStillAllowed(dependencies));
  const kernel: Kernel = {
    ...dependencies,
    newId: newUuid,
    streams,
    whoNow: (request) => currentPrincipal(dependencies.authentication, request),
    explainError,
    charge: createCharge(dependencies),
    alone: createAlone(),
  };
  await app.register(healthRoutes(dependencies.readiness));
  await app.register(docsRoutes);
  await app.register(consoleRoutes);
  await mountFeatures(app, features, kernel);
  await app.register(oauthRoutes(kernel, failures));
  await app.register(authRoutes(kernel, failures), { prefix: '/api/auth' });

  await options.mountMcp(app, dependencies, routes);
  refuseOtherMethods(app, routes);
  return { app, routes };
}

function setBelow(): never {
  throw new Error('Fastify must use the compilers that buildApp sets');
}

const pathOf = (url: string) => (URL.canParse(url) ? new URL(url).pathname + new URL(url).search : url);

const saneRequestId = /^[\w.:-]{1,128}$/;

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && saneRequestId.test(given) ? given : randomUUID();
}
