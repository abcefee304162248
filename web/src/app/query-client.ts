import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isSignedOut } from '../api/errors.ts';
import { sessionKey } from '../resources/session.ts';

const maxRetries = 2;

/** A refusal does not change by asking again; a dropped connection or a fault of the server may. */
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
  /** Wherever a 401 turns up, the session is over and the shell must ask again. */
  function noticeSignOut(error: Error): void {
    if (isSignedOut(error) && client.getQueryData(sessionKey)) client.setQueryData(sessionKey, null);
  }
  return client;
}
