import type { FastifyInstance, RouteOptions } from 'fastify';
import { maxAnonymousBytes } from './body.ts';
import { errorEnvelopeOf } from './openai/errors.ts';

/**
 * Collects every route as it is registered, so call it before the first one. Closed by default: the server does not start
 * if a route does not say who may call it, or if a route of the API has no response schema. Without a schema, everything
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
    const error = errorEnvelopeOf(route.url);
    if (response) Object.assign(response, { '4xx': error, '5xx': error });
    else if (/^\/(api|v1)/.test(route.url))
      throw new Error(`${name} does not say what it answers: give it schema.response.`);
    routes.push(route);
  });
  return routes;
}
