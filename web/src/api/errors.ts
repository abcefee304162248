import { StenoError, UnreachableError } from '@steno/sdk';
import { errorStrings as texts } from '../strings/errors.ts';

export { StenoError, UnreachableError };

/** A wrong code is a 401 too, but says nothing about the session. */
export const isSignedOut = (error: unknown) =>
  error instanceof StenoError && error.status === 401 && error.code !== 'invalid_code';
/** The name, the trigger or the address is in use already. */
export const isTaken = (error: unknown) => error instanceof StenoError && error.code === 'conflict';
export const isNotFound = (error: unknown) => error instanceof StenoError && error.status === 404;

/** Deleted for good, or in the trash: a new note that was saved once is not made again. */
export const isNoteGone = (error: unknown) =>
  isNotFound(error) || (error instanceof StenoError && error.status === 409);

/** The same file is refused again, whenever it is sent. After other errors another try may help. */
export const isForGood = (code: string | null) => code === 'validation_error' || code === 'payload_too_large';

export interface Explanation {
  title: string;
  detail: string;
}

/** Turns any error into a title and a sentence that people can act on. */
export function explain(error: unknown): Explanation {
  if (error instanceof UnreachableError) return texts.unreachable;
  if (!(error instanceof StenoError)) return texts.unexpected;
  const known = byCode(error) ?? byStatus(error.status);
  return { title: known.title, detail: known.detail ?? sentence(error) };
}

type Known = { title: string; detail?: string };

function byCode({ code, retryAfter }: StenoError): Known | undefined {
  switch (code) {
    case 'rate_limited':
      return { title: texts.rateLimited.title, detail: texts.rateLimited.detail(retryAfter) };
    case 'too_many_attempts':
    case 'TOO_MANY_ATTEMPTS':
      return texts.tooManyAttempts;
    case 'quota_exceeded':
      return texts.quotaExceeded;
    case 'concurrency_limit':
      return texts.concurrencyLimit;
    case 'plan_required':
      return texts.planRequired;
    case 'limit_reached':
      return texts.limitReached;
    case 'no_transcript':
      return texts.noTranscript;
    default:
      return undefined;
  }
}

function byStatus(status: number): Known {
  switch (status) {
    case 400:
      return texts.badRequest;
    case 401:
      return texts.signedOut;
    case 403:
      return texts.forbidden;
    case 404:
      return texts.notFound;
    case 409:
      return texts.conflict;
    case 413:
      return texts.tooLarge;
    case 429:
      return texts.tooMany;
    case 503:
      return texts.unavailable;
    default:
      return texts.serverFault;
  }
}

/** A message begins with the name of a field in the API: "url must start with https://". People know the field by another. */
function sentence({ message, param }: StenoError): string {
  const said =
    param && message.startsWith(`${param} `) ? texts.fields(param) + message.slice(param.length) : message;
  return said.charAt(0).toUpperCase() + said.slice(1);
}
