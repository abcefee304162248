import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

/**
 * Sends `102 Processing` every 15 s until the answer is sent, so that a client with a limit on the time until the answer
 * does not give up on a long recording. Node's own `fetch` has one of five minutes, and each 102 begins it anew. Others get
 * it only if they ask: Python's http.client takes a 102 for the answer, and some versions of Go's take no more than five.
 */
export const keepWaiting = keepWaitingEvery(15_000);

export function keepWaitingEvery(intervalMs: number) {
  return (request: FastifyRequest, { raw }: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (wantsToKnow(request)) {
      const timer = setInterval(() => raw.headersSent || raw.writeProcessing(), intervalMs).unref();
      raw.once('close', () => clearInterval(timer));
    }
    done();
  };
}

function wantsToKnow({ raw, headers }: FastifyRequest): boolean {
  // HTTP/1.0 has no such answers, and an unknown proxy may not pass them on.
  if (raw.httpVersion === '1.0') return false;
  if (/(^|[,\s])processing([\s,;]|$)/i.test(String(headers.prefer ?? ''))) return true;
  const isNode = headers['user-agent'] === 'node' || headers['user-agent'] === 'undici';
  const isProxied = ['via', 'forwarded', 'x-forwarded-for'].some((name) => headers[name] !== undefined);
  return isNode && !isProxied;
}
