import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../domain/access.ts';
import { AppError } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the access hook on every route that needs a credential. */
    principal: Principal | null;
    startedAt: number;
  }
  interface FastifyContextConfig {
    access?: Access;
    /** How many requests a call counts as against the rate limits; 1 unless said. */
    cost?: number;
    /** Name under which assistants can call this route; its schemas and summary describe the tool (docs/mcp.md). */
    tool?: string;
    /** JSON schema of a multipart body, for OpenAPI. */
    multipart?: object;
    /** The 200 is a union of JSON and plain text, for OpenAPI. */
    plainText?: boolean;
  }
}

/** Aborts when the client goes away before it has its answer. */
export function clientSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished)
      gone.abort(new AppError('validation_error', 'The client went away before the answer.'));
  });
  return gone.signal;
}

/** Who is asking. Only for routes whose access needs a credential. */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new AppError('internal_error', 'The route names no access.');
  return request.principal;
}
