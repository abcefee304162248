import { createSteno, type Fetch } from '@steno/sdk';
import { noteAnswer, noteNoAnswer, untilReachable } from '../lib/connection.ts';
import { takeFirstAnswer } from './first-answers.ts';
import { ofPerson } from './person.ts';
import { noteRateLimit } from './rate-limit.ts';
import { createReadGuard } from './repeated-reads.ts';

/** The call that asks who is signed in, and the sign-in routes, which openapi.json does not describe. */
const forAnyone = /^\/api\/(v1\/me$|auth\/)/;

/** A server that says nothing for so long has lost the request, or its answer is lost. */
const timeoutSeconds = 15;
/** For calls in which the server waits for others: a mail server, a model, a receiver of webhooks. */
export const slow = { timeoutSeconds: 120 };

/** Every call to the server. It raises errors that `explain` can turn into a message; the caller decides about another try. */
export const api = createSteno({ retries: 0, timeoutSeconds, wait: untilReachable, around });

/** `api.GET('/api/v1/notes/{id}', at({ id }))` */
export const at = <Path>(path: Path) => ({ params: { path } });

const untilAllowed = createReadGuard({
  now: () => performance.now(),
  wait: untilReachable,
  warn: (message) => console.warn(message),
});

async function around(request: Request, next: Fetch): Promise<Response> {
  if (!forAnyone.test(new URL(request.url).pathname))
    for (const [name, value] of Object.entries(ofPerson())) request.headers.set(name, value);
  await untilAllowed(request);
  const response =
    takeFirstAnswer(request) ??
    (await next(request).catch((cause: unknown) => {
      const { aborted, reason } = request.signal;
      if (!aborted || reason?.name === 'TimeoutError') noteNoAnswer();
      throw cause;
    }));
  noteRateLimit(response.headers);
  noteAnswer();
  return response;
}
