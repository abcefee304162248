import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isSignedOut, UnreachableError } from '../api/errors.ts';
import { healthKey } from '../resources/health.ts';
import { sessionKey } from '../resources/session.ts';

const maxRetries = 2;
let wasBackAt = 0;

/** A request that was refused (4xx) is refused again. A dropped connection or a server fault may pass. */
function retry(failures: number, error: Error): boolean {
  const refused = error instanceof ApiError && error.status < 500;
  return !refused && failures < maxRetries;
}

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: notice, onSuccess: noticeServerIsBack }),
    mutationCache: new MutationCache({ onError: notice }),
    defaultOptions: {
      // Even without a connection there may be an answer, and if not, people are told.
      queries: { retry, staleTime: 15_000, refetchOnWindowFocus: true, networkMode: 'offlineFirst' },
      mutations: { networkMode: 'always' },
    },
  });
  /** After a 401 from any call the session is over, and the shell shows the sign-in page. */
  function notice(error: Error): void {
    if (isSignedOut(error) && client.getQueryData(sessionKey)) client.setQueryData(sessionKey, null);
    if (error instanceof UnreachableError) void client.invalidateQueries({ queryKey: healthKey });
  }
  // Vite says so when a file of a screen could not be loaded.
  window.addEventListener('vite:preloadError', () => client.invalidateQueries({ queryKey: healthKey }));
  /** What failed while the server was away is loaded as soon as it answers again. */
  function noticeServerIsBack(_data: unknown, { queryKey, state }: Query<unknown, unknown>): void {
    if (queryKey[0] !== healthKey[0] || state.errorUpdatedAt < wasBackAt) return;
    wasBackAt = Date.now();
    void client.refetchQueries({
      type: 'active',
      predicate: (query) => query.state.error instanceof UnreachableError,
    });
  }
  return client;
}
