import type { FastifyInstance } from 'fastify';

/** Times in ISO 8601. */
export interface Deprecation {
  since: string;
  /** When the route stops working. */
  until: string;
}

/**
 * The answers of a route with `config.deprecated` say since when it should not be used (RFC 9745) and until when it works
 * (RFC 8594). The document says so too. Call it before the first route.
 */
export function announceDeprecation(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { deprecated } = route.config ?? {};
    if (!deprecated) return;
    route.schema = { ...route.schema, deprecated: true };
    const headers = headersOf(deprecated);
    const own = route.onRequest ?? [];
    route.onRequest = [
      (_request, reply, done) => {
        reply.headers(headers);
        done();
      },
      ...(Array.isArray(own) ? own : [own]),
    ];
  });
}

function headersOf({ since, until }: Deprecation) {
  const [from, end] = [Date.parse(since), Date.parse(until)];
  if (!(from < end)) throw new Error('A route is deprecated since a time before it stops working.');
  return { deprecation: `@${Math.floor(from / 1000)}`, sunset: new Date(end).toUTCString() };
}
