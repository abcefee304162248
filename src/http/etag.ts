import { hash } from 'node:crypto';
import type { FastifyInstance, onSendHookHandler } from 'fastify';
import { z } from 'zod';

const notModified = z.undefined().describe('You have this answer already: `If-None-Match` names it.');

/**
 * On a route with `config.etag`, names the answer by its content, and answers 304 to a client that has it already. Call it
 * before answers are compressed.
 */
export function nameAnswers(app: FastifyInstance): void {
  app.addHook('onRoute', ({ config, schema }) => {
    if (config?.etag) Object.assign(schema?.response ?? {}, { 304: notModified });
  });
  app.addHook('onSend', answerIfNew);
}

const answerIfNew: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (!request.routeOptions.config.etag || reply.statusCode !== 200 || typeof payload !== 'string') {
    done(null, payload);
    return;
  }
  // Weak, because the same answer may be sent compressed.
  const tag = `W/"${hash('sha1', payload, 'base64url')}"`;
  reply.header('etag', tag);
  const known = request.headers['if-none-match'];
  if (known === undefined || !matches(known, tag)) {
    done(null, payload);
    return;
  }
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  done(null, null);
};

/** Tags are compared as if all were weak (RFC 9110, 13.1.2). */
const matches = (known: string, tag: string) =>
  known.trim() === '*' || known.split(',').some((one) => `W/${one.trim().replace(/^W\//, '')}` === tag);
