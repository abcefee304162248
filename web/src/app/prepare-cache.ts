import { cache } from '../api/cache.ts';
import { isSignedOut, StenoError, UnreachableError } from '../api/errors.ts';
import { live, onReachable } from '../lib/connection.ts';
import { checkPerson, followLeaving, sessionKey } from '../resources/session.ts';
import { isTold } from '../resources/told-queries.ts';

const maxRetries = 2;
/** How old an answer may be before it is read again when it is shown. What the server tells by itself may be older. */
const freshMs = 15_000;
const freshWhileToldMs = 5 * 60_000;

/** A refused request (4xx) would be refused again. A dropped connection or a server fault may pass. */
function retry(failures: number, error: Error): boolean {
  const refused = error instanceof StenoError && error.status < 500;
  return !refused && failures < maxRetries;
}

/** How the page reads and keeps what the server says. */
export function prepareCache(): void {
  cache.setDefaultOptions({
    // The browser may be wrong about being offline; if the request fails, people see a message.
    queries: {
      retry,
      staleTime: ({ queryKey }) => (live.get() && isTold(queryKey) ? freshWhileToldMs : freshMs),
      refetchOnWindowFocus: true,
      networkMode: 'offlineFirst',
    },
    mutations: { networkMode: 'always' },
  });
  cache.getQueryCache().config.onError = notice;
  cache.getMutationCache().config.onError = notice;
  followLeaving();
  // Loads what failed while the server was away.
  onReachable(() => {
    void cache.refetchQueries({
      type: 'active',
      predicate: (query) => query.state.error instanceof UnreachableError,
    });
  });
}

/** After a 401 from any call the session is over, and the shell shows the sign-in page; or another person is signed in. */
function notice(error: Error): void {
  if (isSignedOut(error) && cache.getQueryData(sessionKey)) void checkPerson();
}
