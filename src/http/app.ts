import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ZodTypeProvider } from '@fastify/type-provider-zod';
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import type { Config } from '../config.ts';
import type { CountRefusal } from '../domain/audit.ts';
import type { AppError } from '../domain/errors.ts';
import type { Plans } from '../domain/plans.ts';
import type { Authentication } from '../features/identity/authentication.ts';
import { agentSetupRoutes } from '../features/identity/codes/routes.ts';
import { oauthRoutes } from '../features/identity/oauth/routes.ts';
import { authRoutes } from '../features/identity/routes.ts';
import { features } from '../features/index.ts';
import { openAiChatRoutes } from '../features/language/chat.ts';
import { healthRoutes, type Readiness } from '../features/operator/health.ts';
import { createAlone } from '../kernel/alone.ts';
import { mountFeatures } from '../kernel/http.ts';
import type { Parts } from '../kernel/parts.ts';
import { completeRoutes } from '../kernel/route.ts';
import type { Kernel } from '../kernel/run.ts';
import { zodValidator } from '../kernel/schemas.ts';
import type { Log } from '../lib/log.ts';
import { newUuid } from '../lib/uuid.ts';
import type { AuditStore } from '../ports/audit-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdempotencyStore } from '../ports/idempotency-store.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { LanguageWriter } from '../ports/writer.ts';
import type { RecordingEvents } from '../recordings/events.ts';
import type { Recordings } from '../recordings/recordings.ts';
import type { Uploads } from '../recordings/uploads.ts';
import type { Exports } from '../services/exports.ts';
import type { Imports } from '../services/imports.ts';
import type { Invitations } from '../services/invitations.ts';
import type { Transcribe } from '../services/transcribe.ts';
import type { Database } from '../store/database.ts';
import { createAccessHook, createCharge, createStillAllowed, currentPrincipal } from './access.ts';
import { createObserver, goTogether, limitRequestTime, observeRequests } from './arrival.ts';
import { acceptJson, maxJsonBytes } from './body.ts';
import { answerBrokenRequest } from './broken-requests.ts';
import { compressAnswer } from './compress.ts';
import { docsRoutes } from './console/docs.ts';
import { answerConsoleLinks, consoleRoutes } from './console/routes.ts';
import { createCorsHook } from './cors.ts';
import { createErrorHandler, createExplainError, watchStreams } from './errors.ts';
import { answerIfNew } from './etag.ts';
import { createEventStreams } from './event-stream.ts';
import { createFailureThrottle } from './failure-throttle.ts';
import { nothingHere, refuseOtherMethods } from './method-not-allowed.ts';
import type { Metrics } from './metrics.ts';
import { openAiRoutes } from './openai/routes.ts';
import { describeRoutes } from './openapi.ts';
import { exportRoutes } from './routes/export.ts';
import { importRoutes } from './routes/import.ts';
import { invitationRoutes } from './routes/invitations.ts';
import { meRoutes } from './routes/me.ts';
import { recordingEventRoutes } from './routes/recording-events.ts';
import { recordingRoutes, recordingUploadRoutes } from './routes/recordings.ts';
import { transcribeRoutes } from './routes/transcribe.ts';
import { uploadRoutes } from './routes/uploads.ts';
import { answerWithWantedError } from './sandbox.ts';
import { pickingSerializer } from './serialize.ts';
import { announceTus } from './tus.ts';

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
  auditLog: Pick<AuditStore, 'during'>;
  limiter: RateLimiter;
  failures: RateLimiter;
  idempotency: IdempotencyStore;
  readiness: Readiness;
  exports: Exports;
  imports: Imports;
  transcribe: Transcribe;
  recordings: Recordings;
  recordingEvents: RecordingEvents;
  uploads: Uploads;
  writer: LanguageWriter;
  database: Database;
  parts: Parts;
  invitations: Invitations;
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
      observer.begin(request, reply);
      cors(request, reply, () => answerError(error, request, reply));
      observer.end(request, reply);
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
  app.decorateRequest('completeKey', null);
  app.decorateRequest('claim', null);
  app.decorateReply('revision', 0);
  observeRequests(app, observer);
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
  await app.register(
    async (api) => {
      await api.register(meRoutes(dependencies));
      await api.register(exportRoutes(dependencies.exports));
      await api.register(importRoutes(dependencies.imports, config.dataDir));
      await api.register(transcribeRoutes(dependencies.transcribe));
      await api.register(recordingUploadRoutes(dependencies.recordings));
      await api.register(uploadRoutes(dependencies.uploads));
      await api.register(recordingRoutes(dependencies.recordings));
      await api.register(recordingEventRoutes(dependencies.recordingEvents, streams));
      await api.register(agentSetupRoutes(kernel));
    },
    { prefix: '/api/v1' },
  );
  mountFeatures(app, features, kernel);
  await app.register(openAiRoutes({ ...dependencies, explainError }), { prefix: '/v1' });
  await app.register(openAiChatRoutes({ ...dependencies, explainError }), { prefix: '/v1' });
  await app.register(oauthRoutes(kernel, failures));
  await app.register(authRoutes(kernel, failures, dependencies.invitations), { prefix: '/api/auth' });
  await app.register(
    async (api) => {
      await api.register(invitationRoutes({ ...dependencies, publicUrl: config.publicUrl }));
    },
    { prefix: '/api' },
  );

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
