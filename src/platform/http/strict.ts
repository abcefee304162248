import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction, RouteOptions } from 'fastify';
import { z } from 'zod';
import { invalid } from '../../domain/errors.ts';

/** A body can have 100,000 names; the first ones tell enough. */
const maxNamed = 10;
const maxShownName = 64;

/**
 * Names of the query and the body that a route of `/api/v1` does not know: 400 with `Steno-Strict: 1`, which is the default in
 * the sandbox; otherwise they are ignored, as the contract wants it, and the header `Steno-Ignored` says so. A form is not read
 * yet here: `readUpload` names its fields, also those of `/v1`, whose JSON bodies may have any name that OpenAI has.
 */
export function nameUnknownInput(
  { url, config, schema }: RouteOptions,
  { strictByDefault }: { strictByDefault: boolean },
) {
  const isOurs = url.startsWith('/api/v1/');
  if (!isOurs && !config?.multipart) return undefined;
  const query = isOurs ? namesIn(schema?.querystring ?? z.object({})) : undefined;
  const body = isOurs ? namesIn(schema?.body) : undefined;
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction) => {
    const { 'steno-strict': strict = strictByDefault ? '1' : '0' } = request.headers;
    request.isStrict = strict === '1';
    refuseOrSay(reply, [...unknownIn(request.query, query), ...unknownIn(request.body, body)]);
    done();
  };
}

/** For names that the route does not know. Raises `validation_error` if the request is strict. */
export function refuseOrSay(reply: FastifyReply, unknown: readonly string[]): void {
  const named = unknown.slice(0, maxNamed);
  if (named.length > 0 && reply.request.isStrict) throw unknownRefusal(named);
  sayIgnored(reply, named);
}

export const unknownRefusal = ([first, ...others]: readonly string[]) =>
  invalid(
    `${first} is unknown here${others.length === 0 ? '' : `, like ${others.join(', ')}`}. Leave it out, or check its spelling.`,
  );

/** For a row of a bulk request: the names in it that its schema does not know. */
export const unknownNames = (row: unknown, schema: z.ZodType): string[] => unknownIn(row, namesIn(schema));

export function sayIgnored(reply: FastifyReply, names: readonly string[]): void {
  const before = reply.getHeader('steno-ignored');
  const all = [...(before === undefined ? [] : [String(before)]), ...names.slice(0, maxNamed)];
  if (all.length > 0) reply.header('steno-ignored', all.join(', '));
}

/** What a schema knows: the names of an object with what each of them knows, or what every item of a list knows. */
type Known = ReadonlyMap<string, Known | undefined> | { each: Known };

/** Undefined if the schema takes any name, or no object. */
function namesIn(schema: unknown): Known | undefined {
  if (schema instanceof z.ZodObject) {
    if (schema.def.catchall !== undefined) return undefined;
    return new Map(Object.entries(schema.shape).map(([name, member]) => [name, namesIn(member)]));
  }
  if (schema instanceof z.ZodArray) {
    const each = namesIn(schema.element);
    return each && { each };
  }
  // `preprocess` has the object behind it, `transform` before it.
  if (schema instanceof z.ZodPipe) return namesIn(schema.in) ?? namesIn(schema.out);
  // `null` or a text beside one object, as in `sections`. Of two objects, either may be meant.
  if (schema instanceof z.ZodUnion) {
    const [known, ...others] = schema.options.flatMap((option) => namesIn(option) ?? []);
    return others.length === 0 ? known : undefined;
  }
  // Optional, nullable, with a default.
  return schema instanceof z.ZodType && 'innerType' in schema.def ? namesIn(schema.def.innerType) : undefined;
}

/** At most `maxNamed` names, each with its place: `field_updates.title`, `sections[1].tone`. */
function unknownIn(given: unknown, known: Known | undefined, place = ''): string[] {
  const unknown: string[] = [];
  if (known === undefined || typeof given !== 'object' || given === null) return unknown;
  const isList = 'each' in known;
  if (isList !== Array.isArray(given)) return unknown;
  const before = place === '' ? '' : `${place}.`;
  for (const name in given) {
    const value = (given as Record<string, unknown>)[name];
    if (isList) unknown.push(...unknownIn(value, known.each, `${place}[${name}]`));
    else if (known.has(name)) unknown.push(...unknownIn(value, known.get(name), before + name));
    else unknown.push(before + shownName(name));
    if (unknown.length >= maxNamed) break;
  }
  return unknown;
}

/** As a header can have it: a client may give a field any name. */
export const shownName = (name: string) =>
  encodeURIComponent(name.slice(0, maxShownName).toWellFormed()).slice(0, maxShownName);
