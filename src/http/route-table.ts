import type { FastifyInstance, RouteOptions } from 'fastify';
import { maxAnonymousBytes } from './body.ts';
import { errorEnvelope } from './schemas.ts';

/**
 * Collects every route as it is registered, so call it before the first one. Closed by default: the server does not start
 * if a route does not say who may call it, or if a route under /api has no response schema. Without a schema, everything
 * that the handler returns would be sent.
 */
export function watchRoutes(app: FastifyInstance): readonly RouteOptions[] {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    const name = `${[route.method].flat().join('|')} ${route.url}`;
    if (route.config?.access === undefined)
      throw new Error(`${name} does not say who may call it: give it config.access.`);
    if (route.config.access.credential === 'none') route.bodyLimit ??= maxAnonymousBytes;
    const response = route.schema?.response;
    if (response) Object.assign(response, { '4xx': errorEnvelope, '5xx': errorEnvelope });
    else if (route.url.startsWith('/api'))
      throw new Error(`${name} does not say what it answers: give it schema.response.`);
    routes.push(route);
  });
  return routes;
}
