import { strings } from '../strings.ts';

const words = strings.errors;

/** Ours is `{ error: { code, message } }`; sign-in answers `{ code, message }`; a proxy may answer anything. */
export type ErrorBody =
  | { error?: { code?: string; message?: string }; code?: string; message?: string }
  | string
  | undefined;

/** The server said no, and why. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(status: number, body: ErrorBody, retryAfterSeconds?: number) {
    const told = typeof body === 'object' && body !== null ? (body.error ?? body) : {};
    super(told.message ?? '');
    this.name = 'ApiError';
    this.status = status;
    this.code = told.code ?? '';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** There was no answer at all. */
export class UnreachableError extends Error {
  constructor(cause: unknown) {
    super(words.unreachable.detail, { cause });
    this.name = 'UnreachableError';
  }
}

export const isSignedOut = (error: unknown) => error instanceof ApiError && error.status === 401;
export const isNotFound = (error: unknown) => error instanceof ApiError && error.status === 404;

export interface Explanation {
  title: string;
  detail: string;
}

/** Any failure in words a person can act on. */
export function explain(error: unknown): Explanation {
  if (error instanceof UnreachableError) return words.unreachable;
  if (!(error instanceof ApiError)) return words.unexpected;
  const known = byCode(error) ?? byStatus(error.status);
  return { title: known.title, detail: known.detail ?? sentence(error.message) };
}

type Known = { title: string; detail?: string };

function byCode({ code, retryAfterSeconds }: ApiError): Known | undefined {
  switch (code) {
    case 'rate_limited':
      return { title: words.rateLimited.title, detail: words.rateLimited.detail(retryAfterSeconds) };
    case 'too_many_attempts':
    case 'TOO_MANY_ATTEMPTS':
      return words.tooManyAttempts;
    case 'quota_exceeded':
      return words.quotaExceeded;
    case 'concurrency_limit':
      return words.concurrencyLimit;
    case 'plan_required':
      return words.planRequired;
    case 'limit_reached':
      return words.limitReached;
    case 'no_transcript':
      return words.noTranscript;
    default:
      return undefined;
  }
}

function byStatus(status: number): Known {
  switch (status) {
    case 400:
      return words.badRequest;
    case 401:
      return words.signedOut;
    case 403:
      return words.forbidden;
    case 404:
      return words.notFound;
    case 409:
      return words.conflict;
    case 413:
      return words.tooLarge;
    case 429:
      return words.tooMany;
    case 503:
      return words.unavailable;
    default:
      return words.serverFault;
  }
}

/** "title: too long." is how the API names a field; people read "Title: too long." */
const sentence = (message: string) =>
  message === '' ? words.unexpected.detail : message.charAt(0).toUpperCase() + message.slice(1);
