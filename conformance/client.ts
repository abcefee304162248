import { setTimeout as sleep } from 'node:timers/promises';

/** Where a server asks for a longer wait, the check is left out and says so. */
const longestWaitSeconds = 90;
const longestAnswerMs = 120_000;
const longestStreamMs = 30_000;

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

/** A server-sent event whose data is JSON. */
export interface Told {
  id: string;
  event: string;
  // biome-ignore lint/suspicious/noExplicitAny: see `Answer`
  data: any;
}

export interface Client {
  call(method: string, path: string, request?: Request): Promise<Answer>;
  /** The events of a stream until the last one wanted. `act` runs after the first one. */
  events(path: string, isLast: (told: Told) => boolean, act?: () => Promise<void>): Promise<Told[]>;
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
    async events(path, isLast, act) {
      const leaving = new AbortController();
      const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(longestStreamMs)]);
      const headers = { authorization: `Bearer ${key}` };
      const { body, status } = await fetch(baseUrl + path, { headers, signal });
      if (status !== 200 || !body) throw new Error(`GET ${path} answered ${status}`);
      const events: Told[] = [];
      let text = '';
      for await (const part of body.pipeThrough(new TextDecoderStream())) {
        text += part;
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const told = eventOf(text.slice(0, end));
          text = text.slice(end + 2);
          if (told && events.push(told) === 1) await act?.();
        }
        if (events.some(isLast)) break;
      }
      leaving.abort();
      return events;
    },

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

/** Undefined for a comment, and for lines without data. */
function eventOf(block: string): Told | undefined {
  const field = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
  const data = field('data');
  return data === undefined
    ? undefined
    : { id: field('id') ?? '', event: field('event') ?? '', data: parsed(data) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
