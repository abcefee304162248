import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { serializerCompiler, validatorCompiler, type ZodTypeProvider } from '@fastify/type-provider-zod';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Config } from '../config.ts';
import { AppError } from '../domain/errors.ts';
import type { Plans } from '../domain/plans.ts';
import type { Log } from '../lib/log.ts';
import type { Clock } from '../ports/clock.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { Authentication } from '../services/authentication.ts';
import type { Dictionary } from '../services/dictionary.ts';
import type { Folders } from '../services/folders.ts';
import type { Notes } from '../services/notes.ts';
import type { Snippets } from '../services/snippets.ts';
import type { Spaces } from '../services/spaces.ts';
import type { Transcribe } from '../services/transcribe.ts';
import type { Transcriptions } from '../services/transcriptions.ts';
import type { UsageReport } from '../services/usage.ts';
import { createAccessHook } from './access.ts';
import { acceptJson, maxJsonBytes } from './body.ts';
import { createCorsHook } from './cors.ts';
import { answerBrokenRequest, createErrorHandler } from './errors.ts';
import { createFailureThrottle } from './failure-throttle.ts';
import { createMethodTable } from './method-not-allowed.ts';
import { createMetrics } from './metrics.ts';
import { observeRequests } from './observe.ts';
import { describeRoutes } from './openapi.ts';
import { dictionaryRoutes } from './routes/dictionary.ts';
import { docsRoutes } from './routes/docs.ts';
import { folderRoutes } from './routes/folders.ts';
import { meRoutes } from './routes/me.ts';
import { noteRoutes } from './routes/notes.ts';
import { operationRoutes, type Readiness } from './routes/operations.ts';
import { snippetRoutes } from './routes/snippets.ts';
import { spaceRoutes } from './routes/spaces.ts';
import { transcribeRoutes } from './routes/transcribe.ts';
import { transcriptionRoutes } from './routes/transcriptions.ts';
import { usageRoutes } from './routes/usage.ts';
import { errorEnvelope } from './schemas.ts';

export interface AppDependencies {
  config: Config;
  log: Log;
  clock: Clock;
  plans: Plans;
  authentication: Authentication;
  limiter: RateLimiter;
  readiness: Readiness;
  notes: Notes;
  folders: Folders;
  spaces: Spaces;
  transcribe: Transcribe;
  transcriptions: Transcriptions;
  usage: UsageReport;
  dictionary: Dictionary;
  snippets: Snippets;
}

interface AppOptions {
  /** Whether `app.swagger()` is to work. */
  describe: boolean;
  /** The tool server is built on the routes, so it comes from outside and watches them being registered. */
  mountMcp: (app: FastifyInstance, dependencies: AppDependencies) => Promise<void>;
}

/** The API's table of contents: every registration by hand, in order. */
export async function buildApp(dependencies: AppDependencies, options: AppOptions) {
  const { config, log, clock } = dependencies;
  const app: FastifyInstance = Fastify({
    bodyLimit: maxJsonBytes,
    requestTimeout: config.requestTimeoutMs,
    http: { headersTimeout: config.headersTimeoutMs, connectionsCheckingInterval: 1_000 },
    trustProxy: config.trustedProxies.length > 0 ? config.trustedProxies : false,
    genReqId: requestId,
    clientErrorHandler: answerBrokenRequest,
    // While stopping, what has arrived is still answered; Fastify's own 503 is not our envelope.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: 500 },
    frameworkErrors: (error, request, reply) => createErrorHandler(log)(error, request, reply),
  }).withTypeProvider<ZodTypeProvider>();

  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(createErrorHandler(log));
  app.setNotFoundHandler(async () => {
    throw new AppError('not_found', 'There is nothing at this path; see /docs.');
  });
  acceptJson(app);

  const metrics = createMetrics();
  const failures = createFailureThrottle(config.authFailuresPerMinute, clock);
  app.decorateRequest('principal', null);
  app.decorateRequest('startedAt', 0);
  observeRequests(app, log, metrics);
  app.addHook('onRequest', createCorsHook(config.corsOrigins));
  app.addHook('onRequest', createAccessHook({ ...dependencies, failures }));
  app.addHook('onRoute', ({ schema }) => {
    if (schema?.response) Object.assign(schema.response, { '4xx': errorEnvelope, '5xx': errorEnvelope });
  });

  const methodTable = createMethodTable();
  methodTable.watch(app);
  if (options.describe) await describeRoutes(app);
  await options.mountMcp(app, dependencies);

  await app.register(operationRoutes(dependencies.readiness, metrics));
  await app.register(docsRoutes);
  await app.register(
    async (api) => {
      await api.register(meRoutes);
      await api.register(noteRoutes(dependencies.notes));
      await api.register(folderRoutes(dependencies.folders));
      await api.register(spaceRoutes(dependencies.spaces));
      await api.register(transcribeRoutes(dependencies.transcribe));
      await api.register(transcriptionRoutes(dependencies.transcriptions));
      await api.register(usageRoutes(dependencies.usage));
      await api.register(dictionaryRoutes(dependencies.dictionary));
      await api.register(snippetRoutes(dependencies.snippets));
    },
    { prefix: '/api/v1' },
  );

  methodTable.register(app);
  return app;
}

const saneRequestId = /^[\w.:-]{1,128}$/;

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && saneRequestId.test(given) ? given : randomUUID();
}
