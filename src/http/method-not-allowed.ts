import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { AppError } from '../domain/errors.ts';
import { isForOtherOrigins } from './cors.ts';

const commonMethods: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Gives every known path a 405 for the methods it does not have. As real routes, so that `DELETE /notes/list` is not
 * mistaken for `DELETE /notes/{id}`. Call `watch` before the routes are registered and `register` after them.
 * All of it answers before a body is looked at.
 */
export function createMethodTable() {
  const methodsOf = new Map<string, Set<string>>();
  let known: { form: RegExp; allow: string }[] = [];

  function refuse({ method }: FastifyRequest, reply: FastifyReply, allow: string): AppError {
    reply.header('allow', allow);
    return new AppError('method_not_allowed', `${method} is not allowed here; use ${allow}.`);
  }

  return {
    watch(app: FastifyInstance): void {
      app.addHook('onRoute', ({ url, method }) => {
        const methods = methodsOf.get(url) ?? new Set();
        for (const name of [method].flat()) methods.add(name);
        methodsOf.set(url, methods);
      });
      app.addHook('onRequest', (request, reply, done) => {
        if (!request.is404) return done();
        // Only methods so rare that no route below has them come here on a known path: PROPFIND, say.
        const path = request.url.split('?', 1)[0] ?? '';
        const match = known.find(({ form }) => form.test(path));
        done(match ? refuse(request, reply, match.allow) : nothingHere());
      });
    },
    register(app: FastifyInstance): void {
      const tables = [...methodsOf].filter(([url]) => !url.includes('*'));
      const allowOf = (url: string, methods: Set<string>) =>
        [...methods, ...(isForOtherOrigins(url) ? ['OPTIONS'] : [])].join(', ');
      known = tables.map(([url, methods]) => ({
        form: new RegExp(`^${url.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+')}$`),
        allow: allowOf(url, methods),
      }));
      for (const [url, methods] of tables) {
        const allow = allowOf(url, methods);
        const method = commonMethods.filter((name) => !methods.has(name));
        if (method.length === 0) continue;
        app.route({
          method,
          url,
          schema: { hide: true },
          onRequest: async (request, reply) => {
            throw refuse(request, reply, allow);
          },
          handler: async () => {},
        });
      }
    },
  };
}

export const nothingHere = () => new AppError('not_found', 'There is nothing at this path; see /docs.');
