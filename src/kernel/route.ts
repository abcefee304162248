import type { FastifyInstance, RouteOptions } from 'fastify';
import { countRefusals } from '../platform/http/audit.ts';
import { maxAnonymousBytes } from '../platform/http/body.ts';
import { notModified } from '../platform/http/etag.ts';
import { offerFields } from '../platform/http/fields.ts';
import { idempotency } from '../platform/http/idempotency.ts';
import { errorEnvelopeOf } from '../platform/http/openai-errors.ts';
import { nameUnknownInput } from '../platform/http/strict.ts';

type Dependencies = Parameters<typeof idempotency>[0] &
  Parameters<typeof countRefusals>[0] &
  Parameters<typeof nameUnknownInput>[1];

/**
 * Gives every route what it has besides its own schemas and handler: operations, the routes of other protocols, and the HEAD
 * routes that Fastify adds itself. Call it before the first route; the list that it returns gets the finished routes.
 */
export function completeRoutes(app: FastifyInstance, dependencies: Dependencies): readonly RouteOptions[] {
  const routes: RouteOptions[] = [];
  const keys = idempotency(dependencies);
  const countRefusal = countRefusals(dependencies);

  app.addHook('onRoute', (route) => {
    const { idempotent, signsIn } = route.config ?? {};
    refuseUnguarded(route);
    describeOtherAnswers(route);
    // Before names are checked: `fields` is one that the route knows.
    const pickFields = offerFields(route);
    // What a request meets, from first to last.
    addBefore(route, 'preValidation', nameUnknownInput(route, dependencies));
    addBefore(route, 'preHandler', idempotent && keys.begin);
    addBefore(route, 'preSerialization', pickFields);
    addBefore(route, 'onSend', idempotent && keys.end);
    addBefore(route, 'onResponse', signsIn && countRefusal);
    routes.push(route);
  });
  return routes;
}

/**
 * Closed by default: the server does not start if a route does not say who may call it, or if a route of the API has no
 * response schema. Without a schema, everything that the handler returns would be sent.
 */
export function refuseUnguarded({ method, url, config, schema }: RouteOptions): void {
  const name = `${[method].flat().join('|')} ${url}`;
  if (config?.access === undefined)
    throw new Error(`${name} does not say who may call it: give it config.access.`);
  if (!schema?.response && /^\/(api|v1)/.test(url))
    throw new Error(`${name} does not say what it answers: give it schema.response.`);
}

function describeOtherAnswers(route: RouteOptions): void {
  const { url, config, schema } = route;
  if (config?.access?.credential === 'none') route.bodyLimit ??= maxAnonymousBytes;
  const error = errorEnvelopeOf(url);
  if (schema?.response)
    Object.assign(schema.response, { '4xx': error, '5xx': error, ...(config?.etag && { 304: notModified }) });
}

type HookName = 'preValidation' | 'preHandler' | 'preSerialization' | 'onSend' | 'onResponse';

/** Puts these hooks before the route's own. */
function addBefore<Name extends HookName>(
  route: RouteOptions,
  name: Name,
  ...hooks: (RouteOptions[Name] | false | undefined)[]
): void {
  const all = [...hooks, route[name]].flat().filter((hook) => typeof hook === 'function');
  if (all.length > 0) Object.assign(route, { [name]: all });
}
