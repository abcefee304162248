import { hash } from 'node:crypto';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import { z } from 'zod';
import { weightOfRows } from '../domain/bulk.ts';
import { type Listed, type PageOptions, pageQuery, toPage } from '../domain/page.ts';
import { lazily } from '../lib/lazily.ts';
import type { Made } from '../platform/database/idempotency.ts';
import { circumstances } from '../platform/http/audit.ts';
import { hasAnswerOf, notModified } from '../platform/http/etag.ts';
import { madeIsGone } from '../platform/http/idempotency.ts';
import { orNothing } from './authorized.ts';
import { inOrder, parseRows } from './bulk.ts';
import {
  type ActingContext,
  Answered,
  type Context,
  type LookedThrough,
  type StreamContext,
} from './context.ts';
import type { Operation } from './operation.ts';
import { Narrowed, RequestContext } from './request-context.ts';
import { act, carryOut, carryOutGathered, completionOf, type Kernel } from './run.ts';
import { cursor, dataOf, limit, noContent, pageOf, whole } from './schemas.ts';
import { bounded } from './semaphore.ts';

/** A tag of the API and the operations below it. The name of each operation is its `operationId`. */
export interface Feature {
  readonly tag: string;
  readonly operations: Readonly<Record<string, Operation>>;
}

/** Registers every operation of the features as a route. */
export async function mountFeatures(
  app: FastifyInstance,
  features: readonly Feature[],
  kernel: Kernel,
): Promise<void> {
  for (const { tag, operations } of features)
    for (const [name, operation] of Object.entries(operations)) {
      const route = routeOf(operation, { operationId: name, tags: [tag] }, kernel);
      const { accepts } = operation.declaration;
      if (!accepts) app.route(route);
      else
        await app.register(async (own) => {
          await accepts(own);
          own.route(route);
        });
    }
}

function routeOf(operation: Operation, named: { operationId: string; tags: string[] }, kernel: Kernel) {
  const { kind, method, path, declaration, answer, list } = operation;
  const { access, cost, errors, summary, description, query, body, etag, digest, wire } = declaration;
  const tool = declaration.offered?.(kernel.parts) === false ? undefined : declaration.tool;
  const params = declaration.params ?? paramsOf(path);
  // A query that has a limit of its own says where among its parameters the paging is described.
  const paged = list && !(query && 'limit' in query.shape) && { limit: limit(...list.limit), cursor };
  const querystring = query || paged ? z.object({ ...(paged || {}), ...query?.shape }) : undefined;
  const sources = typeof etag === 'function';
  const taggedFirst = sources || etag === 'own';
  return {
    method,
    url: path,
    config: {
      access,
      ...(tool !== undefined && { tool }),
      ...(cost !== undefined && { cost }),
      ...(errors && { errors }),
      ...(operation.once && { idempotent: true }),
      ...(etag && { etag: taggedFirst ? 'sources' : 'content' }),
      ...((kind === 'follow' || operation.tells) && { events: true }),
      ...(operation.tells && { plainText: true }),
      ...(digest && {
        digestBody: (reply: FastifyReply, signal: AbortSignal) =>
          digest({ parts: kernel.parts, signal, request: reply.request, reply }),
      }),
      ...wire,
    },
    schema: {
      ...(declaration.hidden ? { hide: true } : named),
      summary,
      ...(description !== undefined && { description }),
      ...(params && { params }),
      ...(querystring && { querystring }),
      ...(declaration.headers && { headers: declaration.headers }),
      ...(body && { body }),
      response: {
        [answer.status]: schemaOf(operation),
        ...(taggedFirst && { 304: notModified }),
        ...declaration.responses,
      },
    },
    handler: handlerOf(operation, kernel),
  } satisfies RouteOptions;
}

function handlerOf(operation: Operation, kernel: Kernel) {
  const { kind, answer, list, rows, tells, bound, declaration } = operation;
  const { etag, bare } = declaration;
  const inPlace = bound && bounded(bound);
  /** Another version of the server may show other fields. */
  const form = lazily(() => hash('sha1', JSON.stringify(z.toJSONSchema(schemaOf(operation)))));

  /** Carries it out, or answers as an earlier request with the same Idempotency-Key was answered. */
  async function once(reply: FastifyReply, context: Context, input: object): Promise<unknown> {
    const { request } = reply;
    if (request.made) return again(request.made, context, reply);
    if (kind === 'gathered') return carryOutGathered(operation, context, input, request);
    const from = circumstances(request, Date.parse(context.now));
    return carryOut(operation, context, input, from, request);
  }

  async function again(made: Made, context: Context, reply: FastifyReply): Promise<unknown> {
    const known = operation.once && (await orNothing(operation.once.again(context, made, reply)));
    if (known === undefined) throw madeIsGone();
    return known;
  }

  /** The status, the headers and the body of an answer. */
  function send(reply: FastifyReply, result: unknown): unknown {
    const { data, status, headers, beside } = result instanceof Answered ? result : new Answered(result, {});
    reply.code(status ?? answer.status).headers(headers);
    if (reply.statusCode === 204) return undefined;
    if (etag === 'revision') reply.revision = Object(data).revision;
    return bare ? data : { data, ...beside };
  }

  async function answerStream(request: FastifyRequest, reply: FastifyReply, context: Context, input: object) {
    const run = (signal: AbortSignal, tell: StreamContext['tell']) => {
      const from = circumstances(request, Date.parse(context.now));
      const audits = declaration.audit ?? [];
      const work = () =>
        operation.run(
          streamOf(context, {
            signal,
            request,
            reply,
            tell,
            whoNow: () => kernel.whoNow(request),
            act: (work, options) => act(context, { circumstances: from, audits, ...options }, work),
            complete: completionOf(request),
            // Anything may be thrown; explainError knows what to make of it.
            explain: (thrown) => kernel.explainError(thrown as FastifyError, request),
            stopping: kernel.streams.stopping,
          }),
          input,
        );
      // Fastify answers HEAD by the route of GET.
      return inPlace && request.method !== 'HEAD' ? inPlace(context.who.userId, work) : work();
    };
    if (kind === 'follow') {
      if (Object(reply.request.headers)['last-event-id'] === lastEventId) return reply.code(204).send();
      // `follow` types it: what it runs returns events.
      const events = (signal: AbortSignal) => run(signal, async () => {}) as never;
      return kernel.streams.answer(request, reply, events);
    }
    if (request.made) return send(reply, await again(request.made, context, reply));
    if (!tells || request.headers.accept?.startsWith('application/json')) {
      const result = await run(context.signal, async () => {});
      // It has answered by itself, with bytes say, or its client is gone.
      const { headersSent, destroyed } = reply.raw;
      return result === reply || headersSent || destroyed ? reply : send(reply, result);
    }
    return kernel.streams.tell(request, reply, kernel.explainError, async (tell, signal) => {
      const data = await run(signal, (text) => tell({ event: 'delta', data: { text } }));
      await tell({ event: 'done', data });
    });
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const { params, query, body, headers } = request;
    const input = { ...Object(params), query, body, headers };
    const context = new RequestContext(request, reply, kernel);
    if (typeof etag === 'function') {
      // Before the records are read, so that they are never older than their ETag (decision 142).
      const sources = await etag(context, input);
      if (sources && hasAnswerOf(reply, ...sources, form())) return reply.code(304).send();
    }
    if (kind === 'query') return send(reply, await operation.run(readOnly(context), input));
    if (kind === 'whole list') return { data: await operation.run(readOnly(context), input), ...whole };
    if (list) {
      const options: PageOptions = Object(query);
      const name = typeof list.list === 'string' ? list.list : list.list(Object(query));
      const page = pageQuery(name, options);
      // `list` types it: the rows of a list have an id and a time.
      const result = await operation.run(readOnly(context), { ...input, page });
      const { rows, until } = (Array.isArray(result) ? { rows: result } : result) as Partial<
        LookedThrough<Listed>
      >;
      const { placeOf } = list;
      const place = placeOf && ((item: Listed) => placeOf(item, Object(query)));
      return toPage(name, rows ?? [], options.limit, place, until);
    }
    if (kind === 'stream' || kind === 'follow') return answerStream(request, reply, context, input);
    if (rows) {
      // The access hook has counted one request, before it knew the rows.
      const more = weightOfRows(Object(body)[rows.field].length) - 1;
      if (more > 0) await kernel.charge(context.who, more, reply);
    }
    const data = await (rows
      ? kernel.alone(context.who, async () => {
          input.rows = parseRows(request, reply, rows);
          return once(reply, context, input);
        })
      : once(reply, context, input));
    return send(reply, data);
  };
}

/** The id of the last event of a stream that ends. A browser that comes again with it gets 204, and stops. */
export const lastEventId = 'end';

/** For a route whose wire is that of another program: a context, and transactions with the caller in the audit log. */
export function actingContext(request: FastifyRequest, reply: FastifyReply, kernel: Kernel): ActingContext {
  const context = new RequestContext(request, reply, kernel);
  const from = circumstances(request, Date.parse(context.now));
  const own: Pick<ActingContext, 'act'> = {
    act: (work, options) => act(context, { circumstances: from, ...options }, work),
  };
  return Object.assign(context, own);
}

/** `query` and `list` type their `run` with `Context`; it never sees the rest. */
const readOnly = (context: Context) => context as Parameters<Operation['run']>[0];

/** A stream never sees what only commands have. */
const streamOf = (
  context: Context,
  { signal, ...own }: Omit<StreamContext, Exclude<keyof Context, 'signal'>>,
): Parameters<Operation['run']>[0] =>
  // An operation of another kind asks for more; the kind of this one types what it gets.
  Object.assign(new Narrowed(context, context.db, signal), own) as never;

function schemaOf({ kind, answer: { schema }, declaration, rows, tells, beside }: Operation): z.ZodType {
  if (schema === null) return noContent;
  if (declaration.bare) return schema;
  if (beside) return dataOf(schema).extend(beside);
  if (kind === 'follow') return schema;
  if (tells) return z.union([dataOf(schema), z.string()]);
  if (rows) return dataOf(schema).describe(inOrder);
  return kind === 'list' || kind === 'whole list' ? pageOf(schema) : dataOf(schema);
}

/** Ids are stored in lower case; RFC 9562 lets a client send capital letters too. */
function paramsOf(path: string): z.ZodObject | undefined {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, z.string().toLowerCase()]);
  return names.length === 0 ? undefined : z.object(Object.fromEntries(names));
}
