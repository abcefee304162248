import type { FastifyInstance } from 'fastify';
import type { Log } from '../lib/log.ts';
import type { Metrics } from './metrics.ts';

/** One log line and one measurement per request: the route's pattern, never the path, the query or a body. */
export function observeRequests(app: FastifyInstance, log: Log, metrics: Metrics): void {
  app.addHook('onRequest', (request, reply, done) => {
    request.startedAt = performance.now();
    reply.header('x-request-id', request.id);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    const { method, principal } = request;
    const status = reply.statusCode;
    const ms = performance.now() - request.startedAt;
    metrics.requests.observe({ method, route, status }, ms / 1000);
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
    done();
  });
}
