import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { ListName, PageQuery, Position } from '../domain/page.ts';
import type { Made } from '../platform/database/idempotency.ts';
import type { ServerSentEvent } from '../platform/http/event-stream.ts';
import type {
  Answered,
  CommandContext,
  Context,
  GatheredContext,
  LookedThrough,
  StreamContext,
} from './context.ts';
import type { Answer, Declaration, Input, ListOf, Method } from './declaration.ts';
import type { Bound } from './semaphore.ts';

/** What `run` returns: the data, or the data with a status and headers of its own. */
type Result<Schema extends z.ZodType> = Promise<z.input<Schema> | Answered<z.input<Schema>>>;

/** How a request that is sent again with its Idempotency-Key is answered (decision 62). */
export interface Once<Result> {
  /** What is kept of the first answer, in the transaction that made it. */
  keep(answer: Result): Made;
  /** The answer to the next request. Undefined if what the first one made is gone. */
  again(context: Context, made: Made, reply: FastifyReply): Promise<Result | Answered<Result> | undefined>;
}

/** The next request reads the record that the first one made, as it is now. `find` may raise `not_found` as well. */
export const reread = <Result extends { id: string }>(
  find: (context: Context, id: string) => Promise<Result | undefined>,
): Once<Result> => ({
  keep: ({ id }) => ({ id, kept: {} }),
  again: (context, { id }) => find(context, id),
});

/** The same for a record with a secret, which only its first answer has: these fields are kept. */
export const rereadWith = <Result extends { id: string }, Field extends keyof Result & string>(
  find: (context: Context, id: string) => Promise<Omit<Result, Field> | undefined>,
  fields: readonly Field[],
): Once<Result> => ({
  keep: (answer) => ({
    id: answer.id,
    kept: Object.fromEntries(fields.map((field) => [field, answer[field]])),
  }),
  again: async (context, { id, kept }) => {
    const found = await find(context, id);
    // The kept fields are those that `find` leaves out.
    return found && ({ ...found, ...kept } as unknown as Result);
  },
});

/** The next request gets the first answer itself. */
export const keepAnswer: Once<never> = {
  keep: (data: unknown) => ({ id: '', kept: { data } }),
  // It was an answer of the same operation.
  again: async (_, { kept }) => Object(kept).data as never,
};

/** The table of an operation, as the kernel reads it. The functions below make it; its types are checked there. */
export interface Operation {
  readonly kind: 'query' | 'list' | 'whole list' | 'command' | 'gathered' | 'stream' | 'follow';
  readonly method: Method;
  readonly path: string;
  readonly declaration: Omit<Declaration<string, z.ZodObject, z.ZodType>, 'http'>;
  readonly answer: { readonly status: number; readonly schema: z.ZodType | null };
  readonly list?: Pick<ListOf<z.ZodObject, z.ZodObject>, 'list' | 'limit'> & {
    placeOf?(item: object, query: object): Omit<Position, 'id'>;
  };
  readonly once?: Once<unknown>;
  /** A stream that tells its answer while it is made, to clients that do not ask for JSON. */
  readonly tells?: true;
  readonly beside?: z.ZodRawShape;
  /** How many may run at a time. */
  readonly bound?: Bound;
  /** The field of the body whose rows are checked one by one, and what a row is (bulk.ts). */
  readonly rows?: { readonly field: string; readonly schema: z.ZodType };
  readonly locks?: boolean | undefined;
  prepare?(context: Context, input: object): Promise<unknown>;
  run(context: CommandContext & StreamContext, input: object): Promise<unknown>;
}

const [noQuery, noBody] = [z.object({}), z.undefined()];
type NoQuery = typeof noQuery;
type NoBody = typeof noBody;
/** Headers as Node gives them. */
type AnyHeaders = z.ZodObject<Record<string, z.ZodOptional<z.ZodString>>>;

/** Reads, outside any transaction. */
export function query<
  const Http extends `${'GET' | 'POST'} /${string}`,
  Schema extends z.ZodType,
  Query extends z.ZodObject = NoQuery,
  Body extends z.ZodType = NoBody,
>(
  given: Declaration<Http, Query, Body> & {
    readonly answer: Answer<Schema>;
    /** What the answer has beside `data`. */
    readonly beside?: z.ZodRawShape;
    run(context: Context, input: Input<Http, Query, Body>): Result<Schema>;
  },
): Operation {
  return operation('query', given);
}

/** Reads a short list, always whole. The answer has the form of a page all the same. */
export function wholeList<
  const Http extends `GET /${string}`,
  Item extends z.ZodType,
  Query extends z.ZodObject = NoQuery,
>(
  given: Declaration<Http, Query, NoBody> & {
    readonly items: Item;
    run(context: Context, input: Input<Http, Query, NoBody>): Promise<z.input<Item>[]>;
  },
): Operation {
  return operation('whole list', { ...given, answer: given.items });
}

/** Reads one page of a list. */
export function list<
  const Http extends `GET /${string}`,
  Item extends z.ZodObject,
  Query extends z.ZodObject = NoQuery,
>(
  given: Declaration<Http, Query, NoBody> &
    ListOf<Item, Query> & {
      run(
        context: Context,
        input: Input<Http, Query, NoBody> & { page: PageQuery },
      ): Promise<z.input<Item>[] | LookedThrough<z.input<Item>>>;
    },
): Operation {
  return operation('list', { ...given, answer: given.items });
}

interface Write<Prepared, Given> {
  /**
   * Whether its transaction first locks the rows that it builds on, and waits for others instead of running again
   * (`database.writeLocked`). The `id` of its path is the row that many may want.
   */
  readonly locks?: true;
  /** Runs before the transaction: what takes long, or awaits something else than queries. */
  prepare?(context: Context, input: Given): Promise<Prepared>;
}

/** Writes, in one transaction. It awaits nothing but queries, and may run again after a serialization failure. */
export function command<
  const Http extends `${Exclude<Method, 'GET'>} /${string}`,
  Schema extends z.ZodType,
  Query extends z.ZodObject = NoQuery,
  Body extends z.ZodType = NoBody,
  Prepared = undefined,
>(
  given: Declaration<Http, Query, Body> &
    Write<Prepared, Input<Http, Query, Body>> & {
      readonly answer: Answer<Schema>;
      /** What the answer has beside `data`. */
      readonly beside?: z.ZodRawShape;
      readonly once?: Once<z.input<Schema>>;
      run(context: CommandContext, input: Input<Http, Query, Body> & { prepared: Prepared }): Result<Schema>;
    },
): Operation;
/** A command that answers 204. */
export function command<
  const Http extends `${Exclude<Method, 'GET'>} /${string}`,
  Query extends z.ZodObject = NoQuery,
  Body extends z.ZodType = NoBody,
>(
  given: Declaration<Http, Query, Body> &
    Pick<Write<undefined, never>, 'locks'> & {
      readonly answer: 204;
      run(context: CommandContext, input: Input<Http, Query, Body>): Promise<void>;
    },
): Operation;
export function command(given: Given): Operation {
  return operation('command', given);
}

/**
 * Writes by a function of the database that gathers what arrives together, such as `createNote`: it has no transaction of its
 * own, and completes the Idempotency-Key in the write by `complete`.
 */
export function gathered<
  const Http extends `POST /${string}`,
  Schema extends z.ZodType,
  Body extends z.ZodType,
>(
  given: Declaration<Http, NoQuery, Body> & {
    readonly answer: Answer<Schema>;
    readonly again: Once<z.input<Schema>>['again'];
    run(context: GatheredContext, input: Input<Http, NoQuery, Body>): Result<Schema>;
  },
): Operation {
  const { again, ...declared } = given;
  return operation('gathered', { ...declared, once: { keep: keptInTheWrite, again } });
}

function keptInTheWrite(): never {
  throw new Error('This operation completes its Idempotency-Key itself.');
}

/**
 * Answers while its client is there: it may take long, ask an engine or another server, and write in several transactions
 * (`act`). With `tells` its text is sent as it is made (events `delta`), then its answer (`done`) or `error`.
 */
export function stream<
  const Http extends `${Method} /${string}`,
  Schema extends z.ZodType,
  Query extends z.ZodObject = NoQuery,
  Body extends z.ZodType = NoBody,
  Headers extends z.ZodObject = AnyHeaders,
>(
  given: Declaration<Http, Query, Body> & {
    readonly answer: Answer<Schema> | 204;
    readonly tells?: true;
    readonly bound?: Bound;
    /** It takes an Idempotency-Key, and completes it by `complete`, in the transaction that makes what `again` reads. */
    readonly again?: Once<z.input<Schema>>['again'];
    readonly headers?: Headers;
    run(
      context: StreamContext,
      input: Omit<Input<Http, Query, Body>, 'headers'> & { headers: z.output<Headers> },
    ): Promise<unknown>;
  },
): Operation {
  const { again, ...declared } = given;
  return operation('stream', { ...declared, ...(again && { once: { keep: keptInTheWrite, again } }) });
}

/** Server-sent events until the client leaves. `run` raises what must be an error instead of a stream. */
export function follow<const Http extends `GET /${string}`, Query extends z.ZodObject = NoQuery>(
  given: Declaration<Http, Query, NoBody> & {
    run(
      context: StreamContext,
      input: Input<Http, Query, NoBody>,
    ): Promise<AsyncIterable<ServerSentEvent> | Answered<undefined>>;
  },
): Operation {
  return operation('follow', { ...given, answer: z.string() });
}

/** The declarations without their types, which the functions above have checked. */
type Given = Declaration<string, z.ZodObject, z.ZodType> &
  Partial<Pick<Operation, 'once' | 'tells' | 'bound' | 'locks' | 'beside'>> & {
    readonly answer: Answer<z.ZodType> | 204;
    readonly limit?: ListOf<z.ZodObject, z.ZodObject>['limit'];
    // What these take is what the schemas of the same declaration let through.
    // biome-ignore-start lint/suspicious/noExplicitAny: see above.
    readonly list?: ListName | ((query: any) => ListName);
    placeOf?(item: any, query: any): Omit<Position, 'id'>;
    prepare?(context: Context, input: any): Promise<unknown>;
    run(context: any, input: any): Promise<unknown>;
    // biome-ignore-end lint/suspicious/noExplicitAny: see above.
  };

function operation(kind: Operation['kind'], given: Given): Operation {
  const {
    http,
    answer,
    list,
    limit,
    placeOf,
    once,
    tells,
    bound,
    beside,
    locks,
    prepare,
    run,
    ...declaration
  } = given;
  const [method, path] = http.split(' ');
  if (!isMethod(method) || path === undefined) throw new Error(`${http} must be a method and a path.`);
  return {
    kind,
    method,
    path,
    declaration,
    answer: answerOf(answer),
    ...(list && limit && { list: { list, limit, ...(placeOf && { placeOf }) } }),
    ...(beside && { beside }),
    ...(locks && { locks }),
    ...(prepare && { prepare }),
    ...(once && { once }),
    ...(tells && { tells }),
    ...(bound && { bound }),
    run,
  };
}

function answerOf(answer: Given['answer']): Operation['answer'] {
  if (answer === 204) return { status: 204, schema: null };
  if (answer instanceof z.ZodType) return { status: 200, schema: answer };
  const [status, schema] = answer;
  return { status, schema };
}

const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] satisfies Method[];
const isMethod = (text: string | undefined): text is Method => text !== undefined && methods.includes(text);
