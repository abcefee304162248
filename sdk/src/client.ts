import createClient, {
  type Client,
  type ClientPathsWithMethod,
  type FetchResponse,
  type MaybeOptionalInit,
} from 'openapi-fetch';
import { StenoError } from './errors.ts';
import { idempotentPaths } from './idempotent-paths.ts';
import type { paths } from './schema.d.ts';
import { type Fetch, type Patience, pause, sendPatiently } from './send.ts';

export interface StenoOptions extends Partial<Patience> {
  /** Address of the server. A page of the server itself needs none. */
  url?: string | undefined;
  /** A key, or the token of a session. */
  key?: string | undefined;
  /** Sent with every request. */
  headers?: Record<string, string>;
  /** Stands in for the global `fetch`. */
  fetch?: Fetch;
  /** Sees every request on its way, each time it is sent, and its answer: `(request, next) => next(request)`. */
  around?(request: Request, next: Fetch): Promise<Response>;
}

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type PathsWith<Wanted extends Method> = ClientPathsWithMethod<Client<paths>, Wanted>;
/** The body of the answer. */
export type Answer<Path extends PathsWith<Wanted>, Wanted extends Method, Init = unknown> =
  FetchResponse<paths[Path][Wanted] & object, Init, `${string}/${string}`> extends infer Outcome
    ? Outcome extends { data: infer Body }
      ? Body
      : never
    : never;

interface CallOptions {
  /** Instead of the value of the client. */
  retries?: number;
  timeoutSeconds?: number;
}
type Given<Init> = undefined extends Init ? [(Init & CallOptions)?] : [Init & CallOptions];
type Call<Wanted extends Method> = <
  Path extends PathsWith<Wanted>,
  Init extends MaybeOptionalInit<paths[Path], Wanted>,
>(
  path: Path,
  ...init: Given<Init>
) => Promise<Answer<Path, Wanted, Init>>;

/** Each call resolves with the body of the answer. It raises `StenoError` and `UnreachableError`. */
export interface Steno {
  GET: Call<'get'>;
  POST: Call<'post'>;
  PATCH: Call<'patch'>;
  DELETE: Call<'delete'>;
  /** The same calls with all of the answer: `{ data, error, response }`. */
  client: Client<paths>;
  patience: Patience;
  /** For what openapi.json does not describe. Adds address and credential, and raises what the calls raise. */
  send(path: string, init: RequestInit & CallOptions, transport?: Fetch): Promise<Response>;
}

export function createSteno(options: StenoOptions = {}): Steno {
  const { url = '/', key, headers = {}, around = (request, next) => next(request) } = options;
  const {
    retries = 3,
    maxWaitSeconds = 60,
    timeoutSeconds = 300,
    wait = pause,
    fetch: fetched = (request) => fetch(request),
  } = options;
  const patience: Patience = { retries, maxWaitSeconds, timeoutSeconds, wait };
  const own = { ...headers, ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) };
  /** What requests were made of: see `sendPatiently`. */
  const bodies = new WeakMap<Request, RequestInit['body']>();

  function RememberedRequest(address: string, init: RequestInit = {}): Request {
    const request = new Request(address, init);
    bodies.set(request, init.body);
    return request;
  }
  const sendWith =
    (transport: Fetch) =>
    (request: Request & CallOptions): Promise<Response> => {
      const body = bodies.get(request);
      const isFile = body instanceof Blob || body instanceof FormData || body instanceof ReadableStream;
      const own = {
        retries: request.retries ?? retries,
        timeoutSeconds: request.timeoutSeconds ?? (isFile ? Number.POSITIVE_INFINITY : timeoutSeconds),
      };
      return sendPatiently(request, body, { ...patience, ...own }, (sent) => around(sent, transport));
    };

  const client = createClient<paths>({
    baseUrl: url,
    credentials: 'same-origin',
    headers: own,
    bodySerializer: serialize,
    fetch: sendWith(fetched),
    // Called with `new`, a function may answer with any object.
    Request: RememberedRequest as unknown as typeof Request,
  });
  client.use({
    onRequest({ request, schemaPath }: { request: Request & CallOptions; schemaPath: string }) {
      const body = bodies.get(request);
      if (body instanceof Blob) request.headers.set('content-type', body.type || 'application/octet-stream');
      const isCreate = request.method === 'POST' && idempotentPaths.has(schemaPath);
      if (isCreate && (request.retries ?? retries) > 0 && !request.headers.has('idempotency-key'))
        request.headers.set('idempotency-key', crypto.randomUUID());
    },
  });

  // The calls of openapi-fetch have the same parameters; what they resolve with is unwrapped here.
  const unwrapped = (name: 'GET' | 'POST' | 'PATCH' | 'DELETE') => async (path: never, init: never) => {
    const { data, error, response } = await (
      client[name] as (...given: unknown[]) => Promise<{
        data?: unknown;
        error?: unknown;
        response: Response;
      }>
    )(path, init);
    if (!response.ok) throw new StenoError(response.status, error, response.headers);
    return data;
  };
  return {
    GET: unwrapped('GET') as Call<'get'>,
    POST: unwrapped('POST') as Call<'post'>,
    PATCH: unwrapped('PATCH') as Call<'patch'>,
    DELETE: unwrapped('DELETE') as Call<'delete'>,
    client,
    patience,
    async send(path, { retries: given, timeoutSeconds: limit, ...init }, transport = fetched) {
      const request = RememberedRequest(url.replace(/\/$/, '') + path, {
        credentials: 'same-origin',
        ...init,
        headers: { ...own, ...Object.fromEntries(new Headers(init.headers)) },
      });
      const options = {
        ...(given === undefined ? {} : { retries: given }),
        ...(limit === undefined ? {} : { timeoutSeconds: limit }),
      };
      const response = await sendWith(transport)(Object.assign(request, options));
      if (response.ok) return response;
      const text = await response.text();
      throw new StenoError(response.status, parsed(text), response.headers);
    },
  };
}

/** A file is sent as it is; an object with a file in it as a form; anything else as JSON. */
function serialize(body: unknown): RequestInit['body'] {
  if (body instanceof Blob || body instanceof FormData) return body;
  const fields = Object.entries(Object(body));
  if (!fields.some(([, value]) => value instanceof Blob)) return JSON.stringify(body);
  const form = new FormData();
  // The file comes last: the server reads the fields first, and streams it.
  for (const [name, value] of fields.sort(
    ([, a], [, b]) => Number(a instanceof Blob) - Number(b instanceof Blob),
  ))
    if (value !== undefined) form.append(name, value instanceof Blob ? value : String(value));
  return form;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
