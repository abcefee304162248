import { Readable } from 'node:stream';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorCode, fieldIn, invalid } from '../../domain/errors.ts';
import { describeFault, type Log } from '../../lib/log.ts';
import { nothingHere } from './method-not-allowed.ts';
import type { Metrics } from './metrics.ts';
import { challengeFor } from './oauth-issuer.ts';
import { isOpenAiPath, openAiEnvelope } from './openai-errors.ts';

export const internalMessage = 'Something went wrong on the server; try again in a moment.';
/** The page that explains the API. */
const help = '</docs>; rel="help"';
const maxThrownAwayBytes = 16 * 1_048_576;
const headersOfContent = ['accept-ranges', 'content-disposition', 'etag', 'x-accel-buffering'];

export const envelope = (code: ErrorCode, message: string) => ({ error: { code, message } });

interface Dependencies {
  log: Log;
  metrics: Metrics;
  /** A 503 for a temporary fault, such as a database that does not answer. */
  unavailable(fault: unknown): AppError | undefined;
}

export type ExplainError = ReturnType<typeof createExplainError>;

/** Turns every error into one for callers. An error that they must not see is logged and becomes `internal_error`. */
export function createExplainError({ log, metrics, unavailable }: Dependencies) {
  // Anything can be thrown, whatever Fastify's types say.
  return (thrown: FastifyError | null | undefined, request: FastifyRequest): AppError => {
    const error =
      thrown instanceof AppError
        ? thrown
        : ((thrown?.statusCode === undefined ? unavailable(thrown) : undefined) ??
          fromFramework(thrown, request));
    const { id: requestId, routeOptions } = request;
    if (error.code === 'internal_error') metrics.faults.inc();
    if (error.code === 'internal_error' || (error.status >= 500 && error.cause !== undefined))
      log.error({ requestId, route: routeOptions.url, fault: describeFault(thrown) }, 'fault');
    // A pause or a full queue, so nothing is broken.
    else if (error.status >= 500)
      log.info({ requestId, route: routeOptions.url, reason: error.message }, 'unavailable');
    return error;
  };
}

/** Answers every error with the envelope. */
export function createErrorHandler(explain: ExplainError, publicUrl: string) {
  return (thrown: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const error = explain(thrown, request);
    // A stream that failed before its first byte has given its headers to Node already.
    for (const name of reply.raw.getHeaderNames()) reply.raw.removeHeader(name);
    for (const name of headersOfContent) reply.removeHeader(name);
    if (error.status !== 416) reply.removeHeader('content-range');
    reply.type('application/json; charset=utf-8');
    // Even if the route allows caching: a file that is missing now may be there in a minute.
    reply.header('cache-control', 'no-store');
    if (request.url.startsWith('/api/v1/')) reply.header('link', help);
    const field = fieldIn(error);
    if (field !== undefined) reply.header('x-error-param', field);
    if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
    // RFC 9110, 15.5.2: a 401 must name the scheme. MCP clients look for it.
    if (error.code === 'invalid_api_key') reply.header('www-authenticate', challengeFor(request, publicUrl));
    if (error.code === 'payload_too_large' && !endsSoon(request)) reply.header('connection', 'close');
    reply.code(error.status);
    const { code, message, data } = error;
    if (!isOpenAiPath(request.url)) return reply.send({ ...envelope(code, message), ...(data && { data }) });
    // OpenAI's clients try again after a 429, and the quota opens next month.
    if (error.code === 'quota_exceeded') reply.header('x-should-retry', 'false');
    return reply.send(openAiEnvelope(error));
  };
}

/** A stream that fails after its first byte can only break off, so at least the log says why. */
export function watchStreams(app: FastifyInstance, explain: ExplainError): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    if (payload instanceof Readable)
      payload.once('error', (fault: FastifyError) => {
        if (reply.raw.headersSent) explain(fault, request);
      });
    done(null, payload);
  });
}

/**
 * If the body is only a little too large, the rest is read and thrown away, because many clients send everything before
 * they read the answer. If the body is larger, the connection is closed.
 */
function endsSoon({ headers }: FastifyRequest): boolean {
  const length = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return length <= maxThrownAwayBytes;
}

function fromFramework(thrown: FastifyError | null | undefined, request: FastifyRequest): AppError {
  switch (thrown?.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError(
        'payload_too_large',
        `The request body must not exceed ${inBytes(request.routeOptions.bodyLimit)}.`,
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return invalid('Content-Type must be application/json.');
    // None of our ids is that long.
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return nothingHere();
    // The caller disconnected while the body was being read.
    case 'ECONNRESET':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
      return malformed(thrown);
    default: {
      // Of @fastify/static: a range or a version that the file does not have.
      const { statusCode = 500 } = thrown ?? {};
      if (statusCode >= 400 && statusCode < 500) return malformed(thrown);
      return new AppError('internal_error', internalMessage, { cause: thrown });
    }
  }
}

const inBytes = (bytes: number) => (bytes < 1_048_576 ? `${bytes / 1024} KiB` : `${bytes / 1_048_576} MiB`);

const malformed = (cause: unknown) =>
  invalid('The request is malformed. Check its URL and headers.', { cause });
