import type { FastifyContextConfig, FastifyInstance } from 'fastify';
import type { z } from 'zod';
import type { Access } from '../domain/access.ts';
import type { AuditAct } from '../domain/audit.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { ListName, Position } from '../domain/page.ts';
import type { Context, Sent } from './context.ts';
import type { Parts } from './parts.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Nothing = Record<never, never>;

/** `{ id: string }` for `PATCH /api/v1/snippets/:id`. */
type PathInput<Http extends string> = Http extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? { [Key in Name]: string } & PathInput<`/${More}`>
    : { [Key in Rest]: string }
  : Nothing;

export type Input<
  Http extends string,
  Query extends z.ZodObject,
  Body extends z.ZodType,
> = PathInput<Http> & {
  query: z.output<Query>;
  body: z.output<Body>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

/** What every operation says of itself. Types force it to say who may call it and what it answers. */
export interface Declaration<Http extends string, Query extends z.ZodObject, Body extends z.ZodType> {
  /** Method and path. */
  readonly http: Http;
  readonly summary: string;
  readonly description?: string;
  /** Not in openapi.json: for our own console alone. */
  readonly hidden?: true;
  readonly access: Access;
  /** The name of the tool for assistants. The schemas and the summary describe it (docs/mcp.md). */
  readonly tool?: string;
  /** Whether assistants are offered the tool, by what the program is made of. By default they are. */
  readonly offered?: (parts: Parts) => boolean;
  /** How many requests a call counts as in the rate limits; by default 1. */
  readonly cost?: number;
  /** Codes of errors that do not follow from the rest. */
  readonly errors?: readonly ErrorCode[];
  /** The parts of the path, where they are not ids in lower case alone. */
  readonly params?: z.ZodObject;
  readonly query?: Query;
  readonly body?: Body;
  /** What it may write into the audit log. It can write nothing else there. */
  readonly audit?: readonly AuditAct[];
  /**
   * The answer has an ETag: of its content, with the note's revision in front, of what it is made from (decision 142), or one
   * that the operation itself gives it.
   */
  readonly etag?: 'content' | 'revision' | 'own' | EtagSources;
  /** The answer has no `data` around it: its form is that of another program's API. */
  readonly bare?: true;
  /** Other answers than the declared one, by status, for the description. */
  readonly responses?: Readonly<Record<number, z.ZodType>>;
  /** Headers that it reads. */
  readonly headers?: z.ZodObject;
  /** How its body is parsed, unless it is JSON. It is called with an instance for this operation alone. */
  readonly accepts?: (app: FastifyInstance) => void | Promise<void>;
  /** With `again`: reads a body that Fastify did not parse, to compare it with that of the first request. */
  readonly digest?: (sent: Sent) => Promise<unknown>;
  /** What the wire needs to know besides: forms, slow uploads, files. */
  readonly wire?: Pick<
    FastifyContextConfig,
    | 'audio'
    | 'csv'
    | 'events'
    | 'idempotent'
    | 'ifMatch'
    | 'multipart'
    | 'plainText'
    | 'rawUpload'
    | 'signsIn'
    | 'slowUpload'
    | 'zip'
    | 'zipBody'
  >;
}

/** Whose data the answer is made from, and in which state. Undefined if that cannot be told. */
// biome-ignore lint/suspicious/noExplicitAny: the input is what the schemas of the same declaration let through.
type EtagSources = (context: Context, input: any) => Promise<readonly string[] | undefined>;

/** A list in pages, newest first: `run` returns the rows that `page` asks for. */
export interface ListOf<Item extends z.ZodObject, Query extends z.ZodObject> {
  readonly items: Item;
  readonly list: ListName | ((query: z.output<Query>) => ListName);
  readonly limit: readonly [max: number, fallback: number];
  /** Where an item is in the list; by default by its `created_at`. */
  placeOf?(item: z.output<Item>, query: z.output<Query>): Omit<Position, 'id'>;
}

/** One record; 200 unless a status is given. */
export type Answer<Schema extends z.ZodType> = Schema | readonly [status: 200 | 201 | 202, schema: Schema];
