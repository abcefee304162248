import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Act } from '../domain/audit.ts';
import type { AppError } from '../domain/errors.ts';
import type { Position } from '../domain/page.ts';
import type { Principal } from '../domain/principal.ts';
import type { Clock } from '../lib/clock.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Database, Db, Tx } from '../platform/database/database.ts';
import type { Made } from '../platform/database/idempotency.ts';
import type { Parts } from './parts.ts';

/** What carries out an act, with or without HTTP: `compose` gives it to routes, jobs and the command line. */
export interface Actor {
  readonly database: Database;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly parts: Parts;
}

/** What an operation can use. There is nothing else: no hidden context, and nothing to call before a write. */
export interface Context<Who = Principal> {
  /** For reads: what is committed, or in a command its transaction. */
  readonly db: Db;
  /** For reads with a prepared text, and for search. A command writes through `tx` alone. */
  readonly database: Database;
  readonly who: Who;
  /** The time of the request, as it is stored. */
  readonly now: string;
  readonly newId: NewId;
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal;
  /** The address of this server for links: STENO_PUBLIC_URL, or the address that the client used. */
  readonly origin: string;
  /** The fields that the client asks for; undefined for all of them. */
  readonly fields?: ReadonlySet<string> | undefined;
  /** What this program is made of besides the database: settings, mail, engines. */
  readonly parts: Parts;
}

export interface CommandContext<Who = Principal> extends Context<Who> {
  readonly tx: Tx;
  /** Writes into the audit log, in the transaction. */
  audit(act: Act): Promise<void>;
  /** Runs once the transaction is on disk: to wake a worker or to send a mail, say. The answer waits for its promise. */
  afterCommit(work: () => unknown): void;
}

/** For an operation that has no transaction of its own: its writes are gathered with those of other requests, or are several. */
export interface GatheredContext<Who = Principal> extends Context<Who> {
  /** Completes the Idempotency-Key, in the write; undefined without a key. */
  readonly complete: ((db: Db, made: Made) => Promise<void>) | undefined;
}

/** What a query needs that writes and tells the audit log. */
export type Writing = Pick<CommandContext<unknown>, 'tx' | 'audit'>;

/** Work that has no transaction, or several. */
export interface ActingContext<Who = Principal> extends Context<Who> {
  /** One transaction; with `locks`, one that locks the rows that it builds on (`database.writeLocked`). Rights are asked for again in each. */
  act<Result>(
    work: (context: CommandContext<Who>) => Promise<Result>,
    options?: { locks?: boolean },
  ): Promise<Result>;
}

/** Input and answers that are no JSON: an upload, a zip, a range of audio. */
export interface Sent extends Pick<Context, 'parts' | 'signal'> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export interface StreamContext<Who = Principal>
  extends ActingContext<Who>,
    Omit<Sent, keyof Context>,
    Pick<GatheredContext, 'complete'> {
  /** The caller as their credential is at this moment; undefined once it works no more. */
  whoNow(): Promise<Who | undefined>;
  /** Sends text as it is made, as an event `delta`; to a client that wants JSON it sends nothing. */
  tell(text: string): Promise<void>;
  /** For events that the operation writes itself: what its client is told of a fault. */
  explain(thrown: unknown): AppError;
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
}

/** What a search of a list found before its request had looked far enough: there may be more behind `until`. */
export interface LookedThrough<Row> {
  readonly rows: Row[];
  readonly until: Position | undefined;
}

/** An answer with another status than the declared one, with headers, or with fields beside `data`. */
export class Answered<Data> {
  readonly data: Data;
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly beside: object;
  constructor(
    data: Data,
    {
      status,
      headers = {},
      beside = {},
    }: { status?: number; headers?: Record<string, string>; beside?: object },
  ) {
    this.data = data;
    this.status = status;
    this.headers = headers;
    this.beside = beside;
  }
}
