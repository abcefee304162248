import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import { weightOfRows } from '../domain/bulk.ts';
import { type Listed, type PageOptions, pageQuery, toPage } from '../domain/page.ts';
import { madeIsGone } from '../http/idempotency.ts';
import { clientSignal, principalOf } from '../http/request.ts';
import { inOrder, parseRows } from './bulk.ts';
import type { Context, Operation } from './operation.ts';
import { carryOut, type Kernel } from './run.ts';
import { cursor, dataOf, limit, noContent, pageOf, whole } from './schemas.ts';

/** A tag of the API and the operations below it. The name of each operation is its `operationId`. */
export interface Feature {
  readonly tag: string;
  readonly operations: Readonly<Record<string, Operation>>;
}

/** Registers every operation of the features as a route. */
export function mountFeatures(app: FastifyInstance, features: readonly Feature[], kernel: Kernel): void {
  for (const { tag, operations } of features)
    for (const [name, operation] of Object.entries(operations))
      app.route(routeOf(operation, { operationId: name, tags: [tag] }, kernel));
}

function routeOf(operation: Operation, named: { operationId: string; tags: string[] }, kernel: Kernel) {
  const { method, path, declaration, answer, list } = operation;
  const { access, tool, cost, errors, summary, description, query, body } = declaration;
  const params = paramsOf(path);
  const paged = list && { limit: limit(...list.limit), cursor };
  const querystring = query || paged ? z.object({ ...query?.shape, ...paged }) : undefined;
  return {
    method,
    url: path,
    config: {
      access,
      ...(tool !== undefined && { tool }),
      ...(cost !== undefined && { cost }),
      ...(errors && { errors }),
      ...(operation.once && { idempotent: true }),
    },
    schema: {
      ...named,
      summary,
      ...(description !== undefined && { description }),
      ...(params && { params }),
      ...(querystring && { querystring }),
      ...(body && { body }),
      response: { [answer.status]: schemaOf(operation) },
    },
    handler: handlerOf(operation, kernel),
  } satisfies RouteOptions;
}

function handlerOf(operation: Operation, kernel: Kernel) {
  const { kind, answer, list, rows } = operation;

  /** Carries it out, or answers as an earlier request with the same Idempotency-Key was answered. */
  async function once(request: FastifyRequest, context: Context, input: object): Promise<unknown> {
    if (!operation.once || !request.made) return carryOut(kernel, operation, context, input, request);
    const known = await operation.once.again(context, request.made);
    if (known === undefined) throw madeIsGone();
    return known;
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { params, query, body } = request;
    const input = { ...Object(params), query, body };
    const context = contextOf(request, reply, kernel);
    if (kind === 'query') return { data: await operation.run(readOnly(context), input) };
    if (kind === 'whole list') return { data: await operation.run(readOnly(context), input), ...whole };
    if (list) {
      const options: PageOptions = Object(query);
      const page = pageQuery(list.list, options);
      // `list` types it: the rows of a list have an id and a time.
      const found = (await operation.run(readOnly(context), { ...input, page })) as Listed[];
      return toPage(list.list, found, options.limit);
    }
    if (rows) {
      // The access hook has counted one request, before it knew the rows.
      const more = weightOfRows(Object(body)[rows.field].length) - 1;
      if (more > 0) await kernel.charge(context.who, more, reply);
    }
    const data = await (rows
      ? kernel.alone(context.who, async () => {
          input.rows = parseRows(request, reply, rows);
          return once(request, context, input);
        })
      : once(request, context, input));
    reply.code(answer.status);
    return answer.status === 204 ? undefined : { data };
  };
}

function contextOf(request: FastifyRequest, reply: FastifyReply, kernel: Kernel): Context {
  let signal: AbortSignal | undefined;
  return {
    db: kernel.database.db,
    who: principalOf(request),
    now: new Date(kernel.clock()).toISOString(),
    newId: kernel.newId,
    // Made when it is asked for: it listens to the connection.
    get signal() {
      signal ??= clientSignal(reply);
      return signal;
    },
  };
}

/** `query` and `list` type their `run` with `Context`; it never sees the rest. */
const readOnly = (context: Context) => context as Parameters<Operation['run']>[0];

function schemaOf({ kind, answer: { schema }, rows }: Operation): z.ZodType {
  if (schema === null) return noContent;
  if (rows) return dataOf(schema).describe(inOrder);
  return kind === 'list' || kind === 'whole list' ? pageOf(schema) : dataOf(schema);
}

/** Ids are stored in lower case; RFC 9562 lets a client send capital letters too. */
function paramsOf(path: string): z.ZodObject | undefined {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, z.string().toLowerCase()]);
  return names.length === 0 ? undefined : z.object(Object.fromEntries(names));
}
