import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

const exposed =
  'ETag, Content-Disposition, Link, Deprecation, Sunset, X-Error-Param, Steno-Ignored, Retry-After, WWW-Authenticate, X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, RateLimit, RateLimit-Policy, Idempotency-Replayed, Content-Range, Location, Tus-Version, Tus-Resumable, Tus-Extension, Upload-Offset, Upload-Length, Upload-Defer-Length, Upload-Expires';
const methods = 'GET, HEAD, POST, PATCH, DELETE, OPTIONS';
const oneDaySeconds = '86400';

export const isForOtherOrigins = (url: string) =>
  /^\/(api\/v1|v1|mcp|\.well-known\/oauth-|oauth\/(register|token|revoke))/.test(url);

/** Pages of other origins may call `/api/v1`, `/v1` and `/mcp` with a key, and connect by OAuth; never with cookies. */
export function createCorsHook(origins: readonly string[]) {
  const anyOrigin = origins.includes('*');
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (!isForOtherOrigins(request.url)) {
      done();
      return;
    }
    const { origin } = request.headers;
    if (anyOrigin) reply.header('access-control-allow-origin', '*');
    else {
      reply.header('vary', 'Origin');
      if (origin !== undefined && origins.includes(origin))
        reply.header('access-control-allow-origin', origin);
    }
    if (origin !== undefined) reply.header('access-control-expose-headers', exposed);
    if (request.method !== 'OPTIONS') {
      done();
      return;
    }
    const wanted = request.headers['access-control-request-headers'];
    reply.header('access-control-allow-methods', methods);
    reply.header('access-control-allow-headers', wanted ?? 'Authorization, Content-Type');
    reply.header('access-control-max-age', oneDaySeconds);
    reply.code(204).send();
  };
}
