import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods, RouteOptions } from 'fastify';
import { anyone } from '../domain/access.ts';
import { AppError } from '../domain/errors.ts';
import { isForOtherOrigins } from './cors.ts';
import { errorEnvelopeOf } from './openai-errors.ts';

const commonMethods: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Answers 405 on every known path for the methods that it does not have. These are real routes, so that
 * `DELETE /notes/list` does not match `DELETE /notes/{id}`. They answer before reading a body. Call this after all routes.
 */
export function refuseOtherMethods(app: FastifyInstance, routes: readonly RouteOptions[]): void {
  const paths = [...Map.groupBy(routes, ({ url }) => url)]
    .filter(([url]) => !url.includes('*'))
    .map(([url, ofPath]) => {
      const methods = ofPath.flatMap(({ method }) => method);
      return { url, methods, allow: [...methods, ...(isForOtherOrigins(url) ? ['OPTIONS'] : [])].join(', ') };
    });
  for (const { url, methods, allow } of paths) {
    const method = commonMethods.filter((name) => !methods.includes(name));
    if (method.length === 0) continue;
    app.route({
      method,
      url,
      config: { access: anyone },
      schema: { hide: true, response: { 405: errorEnvelopeOf(url) } },
      onRequest: async (request, reply) => {
        throw refusal(request, reply, allow);
      },
      handler: async () => {},
    });
  }

  // For known paths, only rare methods such as PROPFIND get here: the routes above do not have them.
  const forms = paths.map(({ url, allow }) => ({
    form: new RegExp(`^${url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
    allow,
  }));
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const path = request.url.split('?', 1)[0] ?? '';
    const match = forms.find(({ form }) => form.test(path));
    throw match ? refusal(request, reply, match.allow) : nothingHere();
  });
}

function refusal({ method }: FastifyRequest, reply: FastifyReply, allow: string): AppError {
  reply.header('allow', allow);
  return new AppError('method_not_allowed', `${method} is not allowed here; use ${allow}.`);
}

export const nothingHere = () => new AppError('not_found', 'There is nothing at this path; see /docs.');
