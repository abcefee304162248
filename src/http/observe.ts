import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../lib/log.ts';
import type { Metrics } from './metrics.ts';

export type Observer = ReturnType<typeof createObserver>;

/** One log line and one measurement per request, with the pattern of the route, never the path, query or body. */
export function createObserver(log: Log, metrics: Metrics) {
  return {
    begin(request: FastifyRequest, reply: FastifyReply): void {
      request.startedAt = performance.now();
      reply.header('x-request-id', request.id);
      reply.header('x-content-type-options', 'nosniff');
      // Notes are private. An answer that may be cached sets its own header.
      reply.header('cache-control', 'no-store');
    },
    end(request: FastifyRequest, reply: FastifyReply): void {
      const route = request.routeOptions.url ?? 'unknown';
      const { method, principal } = request;
      const status = reply.statusCode;
      const ms = performance.now() - request.startedAt;
      metrics.observeRequest(method, route, status, ms / 1000);
      log.info(
        {
          requestId: request.id,
          method,
          route,
          status,
          ms: Math.round(ms * 10) / 10,
          address: request.ip,
          caller: principal?.limitKey,
        },
        'request',
      );
    },
  };
}

export function observeRequests(app: FastifyInstance, observer: Observer): void {
  app.addHook('onRequest', (request, reply, done) => {
    observer.begin(request, reply);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    observer.end(request, reply);
    done();
  });
}
