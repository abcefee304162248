import { z } from 'zod';
import type { Access } from '../domain/access.ts';
import type { Act } from '../domain/audit.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { ListName, PageQuery } from '../domain/page.ts';
import type { Principal } from '../domain/principal.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Made } from '../ports/idempotency-store.ts';
import type { Db, Tx } from '../store/database.ts';

/** What an operation can use. There is nothing else: no hidden context, and nothing to call before a write. */
export interface Context {
  /** For reads: what is committed, or in a command its transaction. */
  readonly db: Db;
  readonly who: Principal;
  /** The time of the request, as it is stored. */
  readonly now: string;
  readonly newId: NewId;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
}

export interface CommandContext extends Context {
  readonly tx: Tx;
  /** Writes into the audit log, in the transaction. */
  audit(act: Act): Promise<void>;
  /** Runs once the transaction is on disk: to wake a worker, say. */
  afterCommit(work: () => void): void;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Nothing = Record<never, never>;

/** `{ id: string }` for `PATCH /api/v1/snippets/:id`. */
type PathInput<Http extends string> = Http extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? { [Key in Name]: string } & PathInput<`/${More}`>
    : { [Key in Rest]: string }
  : Nothing;

type Input<Http extends string, Query extends z.ZodObject, Body extends z.ZodType> = PathInput<Http> & {
  query: z.output<Query>;
  body: z.output<Body>;
};

/** What every operation says of itself. Types force it to say who may call it and what it answers. */
export interface Declaration<Http extends string, Query extends z.ZodObject, Body extends z.ZodType> {
  /** Method and path. */
  readonly http: Http;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  /** The name of the tool for assistants. The schemas and the summary describe it (docs/mcp.md). */
  readonly tool?: string;
  /** How many requests a call counts as in the rate limits; by default 1. */
  readonly cost?: number;
  /** Codes of errors that do not follow from the rest. */
  readonly errors?: readonly ErrorCode[];
  readonly query?: Query;
  readonly body?: Body;
}

/** A list in pages, newest first: `run` returns the rows that `page` asks for. */
interface ListOf<Item extends z.ZodObject> {
  readonly items: Item;
  readonly list: ListName;
  readonly limit: readonly [max: number, fallback: number];
}

/** One record; 200 unless a status is given. */
type Answer<Schema extends z.ZodType> = Schema | readonly [status: 200 | 201 | 202, schema: Schema];

/** How a request that is sent again with its Idempotency-Key is answered (decision 62). */
export interface Once<Result> {
  /** What is kept of the first answer, in the transaction that made it. */
  keep(answer: Result): Made;
  /** The answer to the next request. Undefined if what the first one made is gone. */
  again(context: Context, made: Made): Promise<Result | undefined>;
}

/** The next request reads the record that the first one made, as it is now. */
export const reread = <Result extends { id: string }>(
  find: (context: Context, id: string) => Promise<Result | undefined>,
): Once<Result> => ({
  keep: ({ id }) => ({ id, kept: {} }),
  again: (context, { id }) => find(context, id),
});

/** The next request gets the first answer itself. */
export const keepAnswer: Once<never> = {
  keep: (data: unknown) => ({ id: '', kept: { data } }),
  // It was an answer of the same operation.
  again: async (_, { kept }) => Object(kept).data as never,
};

/** The table of an operation, as the kernel reads it. `query`, `list` and `command` make it; its types are checked there. */
export interface Operation {
  readonly kind: 'query' | 'list' | 'whole list' | 'command';
  readonly method: Method;
  readonly path: string;
  readonly declaration: Omit<Declaration<string, z.ZodObject, z.ZodType>, 'http'>;
  readonly answer: { readonly status: number; readonly schema: z.ZodType | null };
  readonly list?: Pick<ListOf<z.ZodObject>, 'list' | 'limit'>;
  readonly once?: Once<unknown>;
  /** The field of the body whose rows are checked one by one, and what a row is (bulk.ts). */
  readonly rows?: { readonly field: string; readonly schema: z.ZodType };
  run(context: CommandContext, input: object): Promise<unknown>;
}

const [noQuery, noBody] = [z.object({}), z.undefined()];
type NoQuery = typeof noQuery;
type NoBody = typeof noBody;

/** Reads, outside any transaction. */
export function query<
  const Http extends `GET /${string}`,
  Schema extends z.ZodType,
  Query extends z.ZodObject = NoQuery,
>(
  given: Declaration<Http, Query, NoBody> & {
    readonly answer: Answer<Schema>;
    run(context: Context, input: Input<Http, Query, NoBody>): Promise<z.input<Schema>>;
  },
): Operation {
  return operation('query', given);
}

/** Reads a short list, always whole. The answer has the form of a page all the same. */
export function wholeList<
  const Http extends `GET /${string}`,
  Item extends z.ZodObject,
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
    ListOf<Item> & {
      run(
        context: Context,
        input: Input<Http, Query, NoBody> & { page: PageQuery },
      ): Promise<z.input<Item>[]>;
    },
): Operation {
  return operation('list', { ...given, answer: given.items });
}

/** Writes, in one transaction. It awaits nothing but queries, and may run again after a serialization failure. */
export function command<
  const Http extends `${Exclude<Method, 'GET'>} /${string}`,
  Schema extends z.ZodType,
  Query extends z.ZodObject = NoQuery,
  Body extends z.ZodType = NoBody,
>(
  given: Declaration<Http, Query, Body> & {
    readonly answer: Answer<Schema>;
    readonly once?: Once<z.input<Schema>>;
    run(context: CommandContext, input: Input<Http, Query, Body>): Promise<z.input<Schema>>;
  },
): Operation;
/** A command that answers 204. */
export function command<
  const Http extends `${Exclude<Method, 'GET'>} /${string}`,
  Query extends z.ZodObject = NoQuery,
  Body extends z.ZodType = NoBody,
>(
  given: Declaration<Http, Query, Body> & {
    readonly answer: 204;
    run(context: CommandContext, input: Input<Http, Query, Body>): Promise<void>;
  },
): Operation;
export function command(given: Given): Operation {
  return operation('command', given);
}

/** The declarations without their types, which the three functions above have checked. */
type Given = Declaration<string, z.ZodObject, z.ZodType> &
  Partial<Omit<ListOf<z.ZodObject>, 'items'>> & {
    readonly answer: Answer<z.ZodType> | 204;
    readonly once?: Operation['once'];
    // biome-ignore lint/suspicious/noExplicitAny: the input is what the schemas of the same declaration let through.
    run(context: any, input: any): Promise<unknown>;
  };

function operation(kind: Operation['kind'], given: Given): Operation {
  const { http, answer, list, limit, once, run, ...declaration } = given;
  const [method, path] = http.split(' ');
  if (!isMethod(method) || path === undefined) throw new Error(`${http} must be a method and a path.`);
  return {
    kind,
    method,
    path,
    declaration,
    answer: answerOf(answer),
    ...(list && limit && { list: { list, limit } }),
    ...(once && { once }),
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
