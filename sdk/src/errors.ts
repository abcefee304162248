import type { components } from './schema.d.ts';

type Refusals = components['responses'];
/** What the server can refuse with. Routes under `/v1` answer as OpenAI does, and a proxy as it likes. */
export type ErrorCode = {
  [Name in keyof Refusals]: Name extends `openai_${string}`
    ? never
    : Refusals[Name]['content']['application/json'] extends { error: { code: infer Code } }
      ? Code
      : never;
}[keyof Refusals];

/** The server refused, and said why. */
export class StenoError extends Error {
  override readonly name = 'StenoError';
  readonly status: number;
  /** Decide by this; the message is for people. Empty if the answer has none. */
  readonly code: ErrorCode | (string & {});
  /** What the server wrote into its log. */
  readonly requestId: string | undefined;
  /** The field or parameter that is wrong. */
  readonly param: string | undefined;
  /** Seconds to wait. */
  readonly retryAfter: number | undefined;
  /** What the answer has beside the error: the current note, if a change was based on an older one. */
  readonly data: unknown;

  /** `body` is parsed JSON, or the text that was no JSON. */
  constructor(status: number, body?: unknown, headers = new Headers()) {
    // Steno answers { error: { code, message } }, its sign-in routes { code, message }.
    const { error, data, ...plain } = Object(body);
    const { code, message } = Object(error ?? plain);
    super(String(message ?? `The server answered ${status}.`));
    this.status = status;
    this.code = String(code ?? '');
    this.requestId = headers.get('x-request-id') ?? undefined;
    this.param = headers.get('x-error-param') ?? undefined;
    this.retryAfter = secondsIn(headers.get('retry-after'));
    this.data = data;
  }
}

/** The server did not answer. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
  constructor(cause?: unknown) {
    super('The server does not answer.', { cause });
  }
}

/** Steno tells seconds; a proxy may tell a time. */
function secondsIn(retryAfter: string | null): number | undefined {
  const seconds = Number(retryAfter ?? Number.NaN);
  const found = Number.isNaN(seconds) ? (Date.parse(retryAfter ?? '') - Date.now()) / 1000 : seconds;
  return found > 0 ? found : undefined;
}
