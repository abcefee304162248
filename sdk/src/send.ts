import { StenoError, UnreachableError } from './errors.ts';

export type Fetch = (request: Request) => Promise<Response>;

export interface Patience {
  /** How often a request is sent again. */
  retries: number;
  /** An answer that asks for a longer wait is an error at once. */
  maxWaitSeconds: number;
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
  { retries, maxWaitSeconds, wait }: Patience,
  send: Fetch,
): Promise<Response> {
  for (let failures = 0; ; failures += 1) {
    const isLast = failures >= retries || body instanceof ReadableStream;
    let cause: unknown;
    const response = await send(isLast ? request : copyOf(request, body)).catch((failed: unknown) => {
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

function copyOf(request: Request, body: RequestInit['body']): Request {
  const headers = new Headers(request.headers);
  // Names the boundary between the fields, which is another in each copy.
  if (body instanceof FormData) headers.delete('content-type');
  return new Request(request, body ? { headers, body } : { headers });
}
