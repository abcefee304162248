import type { FastifyInstance, HTTPMethods } from 'fastify';
import { AppError } from '../domain/errors.ts';

const commonMethods: HTTPMethods[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * Gives every known path a 405 for the methods it does not have. As real routes, so that `DELETE /notes/list` is not
 * mistaken for `DELETE /notes/{id}`. Call `watch` before the routes are registered and `register` after them.
 */
export function createMethodTable() {
  const methodsOf = new Map<string, Set<string>>();
  return {
    watch(app: FastifyInstance): void {
      app.addHook('onRoute', ({ url, method }) => {
        const known = methodsOf.get(url) ?? new Set();
        for (const name of [method].flat()) known.add(name);
        methodsOf.set(url, known);
      });
    },
    register(app: FastifyInstance): void {
      for (const [url, known] of [...methodsOf]) {
        const missing = commonMethods.filter((method) => !known.has(method));
        const allow = [...known, 'OPTIONS'].join(', ');
        if (missing.length === 0 || url.includes('*')) continue;
        app.route({
          method: missing,
          url,
          schema: { hide: true },
          handler: async ({ method }, reply) => {
            reply.header('allow', allow);
            throw new AppError('method_not_allowed', `${method} is not allowed here; use ${allow}.`);
          },
        });
      }
    },
  };
}
