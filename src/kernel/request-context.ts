import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db } from '../platform/database/database.ts';
import { fieldsOf } from '../platform/http/fields.ts';
import { originOf } from '../platform/http/origin.ts';
import { clientSignal, principalOf } from '../platform/http/request.ts';
import type { Actor, Context } from './context.ts';

// Classes, because V8 gives every object literal with a getter a hidden class of its own, which kept the request and its answer
// until the next mark-compact: 8 MB survived each scavenge, which took 20 ms instead of 1.6, and GET /notes/{id} reached 0.40 of
// bare node:http instead of 0.49 (bench/README.md).

/** What an operation can use, with what is made when it is asked for: not all requests have a caller, and the signal listens to the connection. */
export class RequestContext implements Context {
  readonly db: Context['db'];
  readonly database: Context['database'];
  readonly now: string;
  readonly newId: Context['newId'];
  readonly parts: Context['parts'];
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  #signal: AbortSignal | undefined;

  constructor(request: FastifyRequest, reply: FastifyReply, { database, clock, newId, parts }: Actor) {
    this.db = database.db;
    this.database = database;
    this.now = new Date(clock()).toISOString();
    this.newId = newId;
    this.parts = parts;
    this.#request = request;
    this.#reply = reply;
  }

  get who() {
    return principalOf(this.#request);
  }
  get signal() {
    this.#signal ??= clientSignal(this.#reply);
    return this.#signal;
  }
  get origin() {
    return this.parts.config.publicUrl.replace(/\/+$/, '') || originOf(this.#request);
  }
  get fields() {
    return fieldsOf(this.#request);
  }
}

/** A context for a part of its work, such as a transaction: with a database of its own, and nothing that another part added. */
export class Narrowed<Who> implements Context<Who> {
  readonly db: Db;
  readonly database: Context['database'];
  readonly now: string;
  readonly newId: Context['newId'];
  readonly parts: Context['parts'];
  readonly #whole: Context<Who>;
  readonly #signal: AbortSignal | undefined;

  constructor(whole: Context<Who>, db: Db, signal?: AbortSignal) {
    this.db = db;
    this.database = whole.database;
    this.now = whole.now;
    this.newId = whole.newId;
    this.parts = whole.parts;
    this.#whole = whole;
    this.#signal = signal;
  }

  get who() {
    return this.#whole.who;
  }
  get signal() {
    return this.#signal ?? this.#whole.signal;
  }
  get origin() {
    return this.#whole.origin;
  }
  get fields() {
    return this.#whole.fields;
  }
}
