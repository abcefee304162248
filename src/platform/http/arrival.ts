import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Log } from '../../lib/log.ts';
import { answerBrokenRequest } from './broken-requests.ts';
import type { Metrics } from './metrics.ts';

/**
 * Bounds the time in which a client sends a whole request; on routes with `config.slowUpload`, its next bytes (`createProgress`).
 * Node's own limit counts every request alike, and a recording of a gigabyte may take an hour.
 */
export function limitRequestTime(limitMs: number) {
  return (
    { raw, routeOptions }: FastifyRequest,
    _reply: FastifyReply,
    done: HookHandlerDoneFunction,
  ): void => {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers;
    if (length !== '0' || encoding !== undefined) {
      const timer = routeOptions.config.slowUpload ? watchProgress(raw, limitMs) : watchEnd(raw, limitMs);
      timer.unref();
      const stop = () => clearTimeout(timer);
      raw.once('close', stop);
      raw.once('end', stop);
    }
    done();
  };
}

const watchEnd = (raw: IncomingMessage, limitMs: number) => setTimeout(() => refuse(raw), limitMs);

/** By the bytes of the connection: a listener for the bytes of the request would take them from the handler. */
function watchProgress(raw: IncomingMessage, limitMs: number): NodeJS.Timeout {
  const isTooSlow = createProgress(raw.socket.bytesRead);
  return setInterval(() => {
    if (isTooSlow(raw.socket.bytesRead)) refuse(raw);
  }, limitMs);
}

/** With the default limit of two minutes, these are ten. */
const looksPerSpan = 5;
/**
 * A byte every two minutes would hold an upload for ever. Silence as Opus brings more than 10,000 in ten minutes: a packet
 * every 400 ms.
 */
const leastBytesPerSpan = 4_096;

/** Whether an upload brings too little: nothing since the last look, or less than the least in a span of looks. */
export function createProgress(begin: number): (bytesRead: number) => boolean {
  let [last, spanBegin, looks] = [begin, begin, 0];
  return (bytesRead) => {
    looks += 1;
    const endsSpan = looks % looksPerSpan === 0;
    const isTooSlow = bytesRead === last || (endsSpan && bytesRead - spanBegin < leastBytesPerSpan);
    last = bytesRead;
    if (endsSpan) spanBegin = bytesRead;
    return isTooSlow;
  };
}

function refuse(raw: IncomingMessage): void {
  // Undefined in `app.inject`, which has no connection.
  if (raw.complete === false) answerBrokenRequest(late(), raw.socket);
}

const late = () =>
  Object.assign(new Error('The request did not arrive in time'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });

/** A turn with this many requests of one caller takes about 20 ms. */
export const mostOfCallerPerTurn = 16;

/**
 * Requests that arrive in one turn of the event loop wait for its end and then go on together, step by step. One request runs
 * through more code than the caches of a core hold; so each step finds its code there. It took a third off the processor time
 * of a create (decision 161). A caller that sends more at once waits for the next turns, and others do not wait for them: 1,500
 * requests at the same moment took 0.8 s in one turn.
 */
export function goTogether() {
  let waiting: Arrived[] = [];

  function go(): void {
    const [going = [], later = []] = waiting.length > mostOfCallerPerTurn ? divided(waiting) : [waiting];
    waiting = later;
    if (waiting.length > 0) setImmediate(go);
    for (const { done } of going) done();
  }

  return (request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (waiting.push({ request, done }) === 1) setImmediate(go);
  };
}

interface Arrived {
  request: FastifyRequest;
  done: HookHandlerDoneFunction;
}

/** The first requests of each caller, and the others. Whose they are is not checked yet, so the credential itself says it. */
function divided(arrived: readonly Arrived[]): [now: Arrived[], later: Arrived[]] {
  const [now, later]: [Arrived[], Arrived[]] = [[], []];
  const counts = new Map<string, number>();
  for (const one of arrived) {
    const { authorization, cookie } = one.request.headers;
    const caller = authorization ?? cookie ?? one.request.ip;
    const count = (counts.get(caller) ?? 0) + 1;
    counts.set(caller, count);
    (count > mostOfCallerPerTurn ? later : now).push(one);
  }
  return [now, later];
}

/** The hooks for one log line and one measurement per request, with the pattern of the route, never the path, query or body. */
export function createObserver(log: Log, metrics: Metrics) {
  return {
    begin(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
      request.startedAt = performance.now();
      reply.header('x-request-id', request.id);
      reply.header('x-content-type-options', 'nosniff');
      // Notes are private. An answer that may be cached sets its own header.
      reply.header('cache-control', 'no-store');
      done();
    },
    end(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
      const route = request.routeOptions.url ?? 'unknown';
      const { id: requestId, method, ip: address, principal } = request;
      const status = reply.statusCode;
      const ms = performance.now() - request.startedAt;
      metrics.observeRequest(method, route, status, ms / 1000);
      const caller = principal?.limitKey;
      const fields = { requestId, method, route, status, ms: Math.round(ms * 10) / 10, address, caller };
      log.info(fields, 'request');
      done();
    },
  };
}
