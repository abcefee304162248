import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type ErrorCode, errorStatus } from '../domain/errors.ts';
import { describeFault, type Log } from '../lib/log.ts';
import { nothingHere } from './method-not-allowed.ts';
import type { Metrics } from './metrics.ts';

export const internalMessage = 'Something went wrong on the server; try again in a moment.';
const maxThrownAwayBytes = 16 * 1_048_576;

export const envelope = (code: ErrorCode, message: string) => ({ error: { code, message } });

/** Turns whatever was thrown into the envelope; what is not ours to show is logged and becomes `internal_error`. */
export function createErrorHandler(log: Log, metrics: Metrics) {
  return (thrown: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const error = thrown instanceof AppError ? thrown : fromFramework(thrown, request);
    if (error.code === 'internal_error') metrics.faults.inc();
    if (error.status >= 500)
      log.error(
        { requestId: request.id, route: request.routeOptions.url, fault: describeFault(thrown) },
        'fault',
      );
    if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds);
    // RFC 9110, 15.5.2: a 401 names the scheme; MCP clients look for it.
    if (error.code === 'invalid_api_key') reply.header('www-authenticate', 'Bearer');
    if (error.code === 'payload_too_large' && !endsSoon(request)) reply.header('connection', 'close');
    return reply.code(error.status).send(envelope(error.code, error.message));
  };
}

/**
 * A body that is little too large is read past the answer and thrown away: many clients write to the end before they
 * read, and a connection that is cut under them loses the answer. Any other is cut.
 */
function endsSoon({ headers }: FastifyRequest): boolean {
  const length = Number(headers['content-length'] ?? Number.POSITIVE_INFINITY);
  return length <= maxThrownAwayBytes;
}

function fromFramework(thrown: FastifyError, request: FastifyRequest): AppError {
  switch (thrown.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new AppError(
        'payload_too_large',
        `The request body is over ${request.routeOptions.bodyLimit / 1_048_576} MiB.`,
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new AppError('validation_error', 'Content-Type must be application/json.');
    // No id of ours is that long.
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return nothingHere();
    case 'ECONNRESET':
      // With a status it comes from reading the body: the caller has hung up. Without one it is ours: the database's.
      if (thrown.statusCode === errorStatus.validation_error) return malformed(thrown);
      return new AppError('internal_error', internalMessage, { cause: thrown });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
      return malformed(thrown);
    default:
      return new AppError('internal_error', internalMessage, { cause: thrown });
  }
}

const malformed = (cause: unknown) =>
  new AppError('validation_error', 'The request is malformed.', { cause });
