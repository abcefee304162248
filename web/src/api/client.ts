import createClient from 'openapi-fetch';
import { noteAnswer, noteNoAnswer } from '../lib/connection.ts';
import { ApiError, type ErrorBody, UnreachableError } from './errors.ts';
import { fetchFirst } from './first-answers.ts';
import { ofPerson } from './person.ts';
import { noteRateLimit } from './rate-limit.ts';
import type { paths } from './schema.d.ts';

/** The typed client. Wrap every call in `read`: it throws errors that `explain` can turn into a message. */
export const api = createClient<paths>({ baseUrl: '/', credentials: 'same-origin', fetch: fetchFirst });

/** Answers who is signed in, whoever that is. */
const whoPath = '/api/v1/me';

api.use({
  onRequest({ request, schemaPath }) {
    if (schemaPath === whoPath) return;
    for (const [name, value] of Object.entries(ofPerson())) request.headers.set(name, value);
  },
  onResponse({ response }) {
    noteRateLimit(response.headers);
    noteAnswer();
  },
});

interface Outcome<Data> {
  data?: Data | undefined;
  error?: unknown;
  response: Response;
}

/** Returns the body. Throws `ApiError` when the server refuses and `UnreachableError` when it does not answer. */
export async function read<Data>(call: Promise<Outcome<Data>>): Promise<Data> {
  const { data, error, response } = await call.catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    noteNoAnswer();
    throw new UnreachableError(cause);
  });
  if (!response.ok) throw apiError(response, error);
  // A 204 has no body, and its type here is undefined.
  return data as Data;
}

/** For the few calls that openapi.json does not describe: sign-in and uploads with progress. */
export function apiError(response: { status: number; headers: Headers }, body: unknown): ApiError {
  const retryAfter = Number(response.headers.get('retry-after'));
  return new ApiError(response.status, body as ErrorBody, retryAfter > 0 ? retryAfter : undefined);
}
