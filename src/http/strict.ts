import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { z } from 'zod';
import { AppError } from '../domain/errors.ts';

/** A body can have 100,000 names; the first ones tell enough. */
const maxNamed = 10;
const maxShownName = 64;

/**
 * Names of the query and the body that a route of `/api/v1` does not know: 400 with `Steno-Strict: 1`, which is the default in
 * the sandbox; otherwise they are ignored, as the contract wants it, and the header `Steno-Ignored` says so.
 * Call it before the first route, and after what adds parameters to routes.
 */
export function nameUnknownInput(
  app: FastifyInstance,
  { strictByDefault }: { strictByDefault: boolean },
): void {
  app.decorateRequest('isStrict', false);
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/api/v1/')) return;
    const query = namesIn(route.schema?.querystring ?? z.object({}));
    const body = namesIn(route.schema?.body);
    const check = (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
      const { 'steno-strict': strict = strictByDefault ? '1' : '0' } = request.headers;
      request.isStrict = strict === '1';
      const unknown = [...unknownIn(request.query, query), ...unknownIn(request.body, body)].slice(
        0,
        maxNamed,
      );
      if (unknown.length === 0) {
        done();
        return;
      }
      if (!request.isStrict) sayIgnored(reply, unknown);
      done(request.isStrict ? unknownRefusal(unknown) : undefined);
    };
    const own = route.preValidation ?? [];
    route.preValidation = [check, ...(Array.isArray(own) ? own : [own])];
  });
}

export const unknownRefusal = ([first, ...others]: readonly string[]) =>
  new AppError(
    'validation_error',
    `${first} is unknown here${others.length === 0 ? '' : `, like ${others.join(', ')}`}. Leave it out, or check its spelling.`,
  );

/** For a row of a bulk request: the names in it that its schema does not know. */
export const unknownNames = (row: unknown, schema: z.ZodType): string[] => unknownIn(row, namesIn(schema));

export function sayIgnored(reply: FastifyReply, names: readonly string[]): void {
  const before = reply.getHeader('steno-ignored');
  const all = [...(before === undefined ? [] : [String(before)]), ...names.slice(0, maxNamed)];
  if (all.length > 0) reply.header('steno-ignored', all.join(', '));
}

/** The names that a schema knows; undefined if it takes any. */
function namesIn(schema: unknown): ReadonlySet<string> | undefined {
  if (schema instanceof z.ZodObject)
    return schema.def.catchall === undefined ? new Set(Object.keys(schema.shape)) : undefined;
  // `preprocess` has the object behind it, `transform` before it.
  if (schema instanceof z.ZodPipe) return namesIn(schema.in) ?? namesIn(schema.out);
  return undefined;
}

/** Names as a header can have them: anybody may call a field as they like. */
function unknownIn(given: unknown, known: ReadonlySet<string> | undefined): string[] {
  const unknown: string[] = [];
  if (known === undefined || typeof given !== 'object' || given === null || Array.isArray(given))
    return unknown;
  for (const name in given) {
    if (known.has(name)) continue;
    unknown.push(encodeURIComponent(name.slice(0, maxShownName).toWellFormed()).slice(0, maxShownName));
    if (unknown.length === maxNamed) break;
  }
  return unknown;
}
