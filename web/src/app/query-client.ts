import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isSignedOut, UnreachableError } from '../api/errors.ts';
import { onReachable } from '../lib/connection.ts';
import { sessionKey } from '../resources/session.ts';

const maxRetries = 2;

/** A refused request (4xx) would be refused again. A dropped connection or a server fault may pass. */
function retry(failures: number, error: Error): boolean {
  const refused = error instanceof ApiError && error.status < 500;
  return !refused && failures < maxRetries;
}

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: notice }),
    mutationCache: new MutationCache({ onError: notice }),
    defaultOptions: {
      // The browser may be wrong about being offline; if the request fails, people see a message.
      queries: { retry, staleTime: 15_000, refetchOnWindowFocus: true, networkMode: 'offlineFirst' },
      mutations: { networkMode: 'always' },
    },
  });
  /** After a 401 from any call the session is over, and the shell shows the sign-in page. */
  function notice(error: Error): void {
    if (isSignedOut(error) && client.getQueryData(sessionKey)) client.setQueryData(sessionKey, null);
  }
  // Loads what failed while the server was away.
  onReachable(() => {
    void client.refetchQueries({
      type: 'active',
      predicate: (query) => query.state.error instanceof UnreachableError,
    });
  });
  return client;
}
