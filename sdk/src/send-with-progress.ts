import type { Fetch } from './send.ts';

/** The parts of a browser's XMLHttpRequest that are used; Node and service workers have none. */
interface ProgressRequest {
  upload: { onprogress: ((event: { loaded: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  status: number;
  response: ArrayBuffer;
  responseType: string;
  withCredentials: boolean;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body?: Blob): void;
  abort(): void;
}

/**
 * Reports how much of the body was sent, which `fetch` does not, and fails when nothing moves for so long. Undefined where there
 * is no other way than `fetch`.
 */
export function sendWithProgress(
  body: Blob,
  longestSilenceMs: number,
  onSent: ((bytes: number) => void) | undefined,
): Fetch | undefined {
  const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => ProgressRequest };
  return (
    XMLHttpRequest &&
    ((given) =>
      new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        let timer: ReturnType<typeof setTimeout> | undefined;
        const moves = () => {
          clearTimeout(timer);
          if (Number.isFinite(longestSilenceMs)) timer = setTimeout(() => request.abort(), longestSilenceMs);
        };
        const fail = (reason: unknown) => {
          clearTimeout(timer);
          reject(reason);
        };
        request.upload.onprogress = ({ loaded }) => {
          moves();
          onSent?.(loaded);
        };
        request.onerror = () => fail(new TypeError('The request failed.'));
        request.onabort = () =>
          fail(given.signal.aborted ? given.signal.reason : new TypeError('Nothing was sent for too long.'));
        request.onload = () => {
          clearTimeout(timer);
          const { status, response } = request;
          // These have no body, not even an empty one.
          const content = [204, 205, 304].includes(status) ? null : response;
          resolve(new Response(content, { status, headers: headersOf(request) }));
        };
        given.signal.addEventListener('abort', () => request.abort());
        request.open(given.method, given.url);
        for (const [name, value] of given.headers) request.setRequestHeader(name, value);
        request.responseType = 'arraybuffer';
        request.withCredentials = given.credentials === 'include';
        moves();
        request.send(body);
      }))
  );
}

const headersOf = (request: ProgressRequest) =>
  new Headers(
    request
      .getAllResponseHeaders()
      .split('\r\n')
      .filter((line) => line !== '')
      .map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon), line.slice(colon + 1).trim()];
      }),
  );
