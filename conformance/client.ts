import { setTimeout as sleep } from 'node:timers/promises';

/** Where a server asks for a longer wait, the check is left out and says so. */
const longestWaitSeconds = 90;
const longestAnswerMs = 120_000;

export interface Answer {
  /** `GET /notes/list`, for messages. */
  place: string;
  status: number;
  headers: Headers;
  text: string;
  // Checks look into bodies of every shape, and a rule says what is wrong with one.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any;
  /** The credential was one that the server knows. */
  isKnown: boolean;
}

interface Request {
  /** Sent as JSON; a string, bytes and a form are sent as they are. */
  body?: unknown;
  headers?: Record<string, string>;
  /** False: a 429 is what the check is about. */
  waits?: boolean;
}

export interface Client {
  call(method: string, path: string, request?: Request): Promise<Answer>;
}

/** The check can say neither yes nor no on this server. */
export class NotSeen extends Error {}

/** Calls with one credential, waits when the server says so, and keeps every answer. */
export function createClient(baseUrl: string, key: string | undefined, seen: Answer[]): Client {
  async function once(method: string, path: string, { body, headers = {} }: Request): Promise<Answer> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData;
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined || body instanceof FormData ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      // A typed array over shared memory is no body for fetch; ours never is one.
      ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
      signal: AbortSignal.timeout(longestAnswerMs),
    });
    const text = await response.text();
    const isKnown = key !== undefined && headers.authorization === undefined && response.status !== 401;
    const place = `${method} ${path.split('?')[0]}`;
    return { place, status: response.status, headers: response.headers, text, body: parsed(text), isKnown };
  }

  return {
    async call(method, path, request = {}) {
      for (;;) {
        const answer = await once(method, path, request);
        seen.push(answer);
        if (request.waits === false || answer.body?.error?.code !== 'rate_limited') return answer;
        const seconds = Number(answer.headers.get('retry-after'));
        if (!(seconds >= 1)) throw new Error(`${answer.place}: 429 without a Retry-After`);
        if (seconds > longestWaitSeconds) throw new NotSeen(`the server asks to wait ${seconds} s`);
        await sleep(seconds * 1000);
      }
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
