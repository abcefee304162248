import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../../domain/access.ts';
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Claim, Made } from '../database/idempotency.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the access hook on every route that needs a credential. */
    principal: Principal | null;
    startedAt: number;
    /** What an earlier request with the same Idempotency-Key made (idempotency.ts). */
    made: Made | null;
    /** The Idempotency-Key that this request holds, until its transaction completes it. */
    claim: Claim | null;
    /** SHA-256 of the form, if the request has an Idempotency-Key; empty until the form is read. */
    uploadDigest: string;
    /** Whether names that the route does not know are refused (strict.ts). */
    isStrict: boolean;
  }
  interface FastifyReply {
    /** Of the note in the answer, for its ETag; 0 if there is none. */
    revision: number;
  }
  interface FastifyContextConfig {
    access?: Access;
    /** How many requests a call counts as in the rate limits; by default 1. */
    cost?: number;
    /** For OpenAPI: codes of errors that do not follow from the rest of the route (error-answers.ts). */
    errors?: readonly ErrorCode[];
    /**
     * The route accepts an Idempotency-Key: a request that is sent twice is carried out once (idempotency.ts). Its handler
     * uses `once`. `repeatable`: to carry it out again adds nothing.
     */
    idempotent?: true | 'repeatable';
    /** For OpenAPI: the route takes `If-Match`. */
    ifMatch?: boolean;
    /** The answer has an ETag, of its content or of what it is made from, and a client that knows it gets 304 (etag.ts). */
    etag?: 'content' | 'sources';
    /** The name of the tool for assistants. The schemas and summary of the route describe it (docs/mcp.md). */
    tool?: string;
    /** For OpenAPI: the JSON schema of a multipart body. */
    multipart?: object;
    /** Whether a request may take as long as it needs, if bytes keep coming (arrival.ts). */
    slowUpload?: boolean;
    /** For OpenAPI: the file may also be the body itself. */
    rawUpload?: boolean;
    /** With `idempotent`: reads a body that Fastify did not read, to compare it with the body of the first request. */
    digestBody?: (reply: FastifyReply, signal: AbortSignal) => Promise<unknown>;
    /** For OpenAPI: the answer is audio, or a range of it. */
    audio?: boolean;
    /** The route signs a person in: its refusals are counted in the audit log. */
    signsIn?: boolean;
    /** For OpenAPI: the answer 200 is CSV. */
    csv?: boolean;
    /** For OpenAPI: the answer 200 is a zip. */
    zip?: boolean;
    /** For OpenAPI: the body is a zip. */
    zipBody?: boolean;
    /** For OpenAPI: the answer 200 is JSON or plain text. */
    plainText?: boolean;
    /** For OpenAPI: the answer 200 is server-sent events; with `plainText`, it may be. */
    events?: boolean;
  }
}

/** The clients of inner requests, by random names that only this process knows. */
const innerClients = new Map<string, AbortSignal>();
const innerClientHeader = 'x-inner-client';

/** Runs an inner request (mcp/call.ts) with a header by which its route notices that the client behind it leaves. */
export async function withInnerClient<Result>(
  client: AbortSignal,
  run: (header: Record<string, string>) => Promise<Result>,
): Promise<Result> {
  const name = randomUUID();
  innerClients.set(name, client);
  try {
    return await run({ [innerClientHeader]: name });
  } finally {
    innerClients.delete(name);
  }
}

/** Aborts when the client disconnects before it has its answer. An inner request has the client of its outer request. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const leave = () => {
    if (!reply.raw.writableFinished)
      gone.abort(new AppError('validation_error', 'The client disconnected before the answer.'));
  };
  const { socket } = reply.request.raw;
  // For long work, a client that closes its side is gone. We would learn more only when we write to it.
  socket.once('end', leave);
  const outer = innerClients.get(String(reply.request.headers[innerClientHeader]));
  outer?.addEventListener('abort', leave, { once: true });
  // It may have left before the route began. The socket of an inner request has no such field.
  if (socket.readableEnded === true || outer?.aborted) leave();
  reply.raw.once('close', () => {
    socket.off('end', leave);
    leave();
  });
  return gone.signal;
}

/** Only for routes that need a credential. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new AppError('internal_error', 'The route needs no credential.');
  return request.principal;
}
