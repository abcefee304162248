import { StenoError, UnreachableError } from './errors.ts';

export type Fetch = (request: Request) => Promise<Response>;

export interface Patience {
  /** How often a request is sent again. */
  retries: number;
  /** An answer that asks for a longer wait is an error at once. */
  maxWaitSeconds: number;
  /** How long the server may say nothing before a request counts as not answered. Not for files: those take their time. */
  timeoutSeconds: number;
  /** Resolves after the time, or when the signal is aborted. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
}

export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
    if (signal?.aborted) end();
  });
}

/** Longer after each failure, and not at the same moment as everybody else. */
const backoffMs = (failures: number) => Math.min(15_000, 500 * 2 ** failures) * (0.5 + Math.random() / 2);

/** How long to wait after the n-th failure in a row, from 0. */
export const waitMsAfter = (error: unknown, failures: number) =>
  error instanceof StenoError && error.retryAfter ? error.retryAfter * 1000 : backoffMs(failures);

/** May be sent twice: it reads, or it is the same the second time, or the server knows it by its key. */
const isRepeatable = ({ method, headers }: Request) =>
  !/^(POST|PATCH)$/.test(method) || headers.has('idempotency-key');

/** Whether the same request may succeed later. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof StenoError)) return error instanceof UnreachableError;
  if (error.code === 'quota_exceeded') return false;
  // The server says when these end. Without that, waiting does not help.
  if ([409, 429, 503].includes(error.status)) return error.retryAfter !== undefined;
  return [500, 502, 504].includes(error.status);
}

/**
 * Sends the request until it is answered for good. `body` is what it was made of: a request can be read once only, and a copy
 * of it would hold all of a file in memory. Raises `UnreachableError`, or the reason of the request's signal.
 */
export async function sendPatiently(
  request: Request,
  body: RequestInit['body'],
  { retries, maxWaitSeconds, timeoutSeconds, wait }: Patience,
  send: Fetch,
): Promise<Response> {
  for (let failures = 0; ; failures += 1) {
    const isLast = failures >= retries || body instanceof ReadableStream;
    let cause: unknown;
    const limit = limitOf(request.signal, timeoutSeconds);
    const sent = isLast ? limit.on(request) : copyOf(request, body, limit.signal);
    const response = await send(sent).then(limit.watch, (failed: unknown) => {
      limit.end();
      cause = failed;
    });
    if (!response && request.signal.aborted) throw cause;
    const error = response
      ? new StenoError(response.status, undefined, response.headers)
      : new UnreachableError(cause);
    const waitMs = waitMsAfter(error, failures);
    // A rate limit refuses before anything is done.
    const mayRepeat = isRepeatable(request) || response?.status === 429;
    if (response?.ok || isLast || !mayRepeat || !mayPass(error) || waitMs > maxWaitSeconds * 1000) {
      if (response) return response;
      throw error;
    }
    // The connection is free again once the answer is read.
    await response?.body?.cancel();
    await wait(waitMs, request.signal);
    request.signal.throwIfAborted();
  }
}

function copyOf(request: Request, body: RequestInit['body'], signal: AbortSignal): Request {
  const headers = new Headers(request.headers);
  // Names the boundary between the fields, which is another in each copy.
  if (body instanceof FormData) headers.delete('content-type');
  return new Request(request, body ? { headers, body, signal } : { headers, signal });
}

/** Ends one try of a request when nothing came for so long: no answer, or no more of its body. */
function limitOf(given: AbortSignal, seconds: number) {
  const late = new AbortController();
  const signal = Number.isFinite(seconds) ? AbortSignal.any([given, late.signal]) : given;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const end = () => clearTimeout(timer);
  const begin = () => {
    end();
    if (signal === given) return;
    timer = setTimeout(
      () => late.abort(new DOMException('The server says nothing.', 'TimeoutError')),
      seconds * 1000,
    );
  };
  begin();
  return {
    signal,
    end,
    on: (request: Request) => (signal === given ? request : new Request(request, { signal })),
    /** The answer, whose body must go on coming. A stream of events is silent for as long as it likes. */
    watch(response: Response): Response {
      end();
      const { body, headers, status, statusText } = response;
      // Chromium gives an empty body to an answer that must not have one, and refuses to make such an answer.
      const isEmpty = !body || status === 204 || status === 304;
      if (signal === given || isEmpty || headers.get('content-type')?.startsWith('text/event-stream'))
        return response;
      const reader = body.getReader();
      const watched = new ReadableStream<Uint8Array>({
        async pull(to) {
          begin();
          const { done, value } = await reader
            .read()
            .finally(end)
            .catch((cause: unknown) => Promise.reject(given.aborted ? cause : new UnreachableError(cause)));
          if (done) to.close();
          else to.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      });
      return new Response(watched, { status, statusText, headers });
    },
  };
}
