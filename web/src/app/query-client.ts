import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isSignedOut } from '../api/errors.ts';
import { sessionKey } from '../resources/session.ts';

const maxRetries = 2;

/** A request that was refused (4xx) is refused again. A dropped connection or a server fault may pass. */
function retry(failures: number, error: Error): boolean {
  const refused = error instanceof ApiError && error.status < 500;
  return !refused && failures < maxRetries;
}

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: noticeSignOut }),
    mutationCache: new MutationCache({ onError: noticeSignOut }),
    defaultOptions: {
      queries: { retry, staleTime: 15_000, refetchOnWindowFocus: true },
      mutations: { networkMode: 'always' },
    },
  });
  /** After a 401 from any call the session is over, and the shell shows the sign-in page. */
  function noticeSignOut(error: Error): void {
    if (isSignedOut(error) && client.getQueryData(sessionKey)) client.setQueryData(sessionKey, null);
  }
  return client;
}
