import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify';
import { AppError } from '../../domain/errors.ts';
import { nowhere } from './access.ts';
import { isForOtherOrigins } from './cors.ts';
import { errorEnvelopeOf } from './openai-errors.ts';

const commonMethods: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Answers 405 on every known path for the methods that it does not have, before a body is read. Where a route of another
 * path would answer instead, as `DELETE /notes/{id}` would for `DELETE /notes/list`, this is a real route. For all others
 * it is what becomes of a 404: 400 routes less took 60 ms off the start. Call this after all routes.
 */
export function refuseOtherMethods(app: FastifyInstance, routes: readonly RouteOptions[]): void {
  const all = [...Map.groupBy(routes, ({ url }) => url)].map(([url, ofPath]) => {
    const methods = ofPath.flatMap(({ method }) => method);
    const allow = [...methods, ...(isForOtherOrigins(url) ? ['OPTIONS'] : [])].join(', ');
    return { url, form: formOf(url), methods, allow };
  });
  const paths = all.filter(({ url }) => !url.includes('*'));
  for (const { url, methods, allow } of paths) {
    const others = all.filter((other) => other.url !== url && other.form.test(url));
    const method = commonMethods.filter(
      (name) => !methods.includes(name) && others.some((other) => other.methods.includes(name)),
    );
    if (method.length === 0) continue;
    app.route({
      method,
      url,
      config: nowhere,
      schema: { hide: true, response: { 405: errorEnvelopeOf(url) } },
      onRequest: async (request, reply) => {
        throw refusal(request, reply, allow);
      },
      handler: async () => {},
    });
  }

  app.addHook('onRequest', (request, reply, done) => {
    if (!request.is404) {
      done();
      return;
    }
    const path = request.url.split('?', 1)[0] ?? '';
    const match = paths.find(({ form }) => form.test(path));
    done(match ? refusal(request, reply, match.allow) : nothingHere());
  });
}

/** What the router takes for this path. */
const formOf = (url: string) =>
  new RegExp(`^${url.replaceAll('.', '\\.').replaceAll('*', '.*').replace(/:\w+/g, '[^/]+')}$`);

function refusal({ method }: FastifyRequest, reply: FastifyReply, allow: string): AppError {
  reply.header('allow', allow);
  return new AppError('method_not_allowed', `${method} is not allowed here; use ${allow}.`);
}

export const nothingHere = () => new AppError('not_found', 'There is nothing at this path; see /docs.');
