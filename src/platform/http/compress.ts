import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyRequest, onSendHookHandler } from 'fastify';

const deflate = promisify(gzip);

/** Below this, the headers of a packet weigh more than what is saved. */
const minLength = 1024;
/** A list of 50 notes (79 kB) becomes a fifth. Higher levels cost more time than they save on the line. */
const level = 4;

/** Compresses long answers for clients that ask for it, outside the event loop. */
export const compressAnswer: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  if (typeof payload !== 'string' || payload.length < minLength) return done(null, payload);
  reply.header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '));
  if (!acceptsGzip(request)) return done(null, payload);
  deflate(payload, { level }).then(
    (compressed) => {
      reply.header('content-encoding', 'gzip').removeHeader('content-length');
      done(null, compressed);
    },
    (fault: Error) => done(fault),
  );
};

export const acceptsGzip = ({ headers }: FastifyRequest): boolean =>
  /\bgzip\b(?!;q=0(\.0*)?(,|$))/.test(headers['accept-encoding'] ?? '');
