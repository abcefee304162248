import { MutationCache, type Query, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isSignedOut, UnreachableError } from '../api/errors.ts';
import { healthKey } from '../resources/health.ts';
import { sessionKey } from '../resources/session.ts';

const maxRetries = 2;
let wasBackAt = 0;

/** A refused request (4xx) would be refused again. A dropped connection or a server fault may pass. */
function retry(failures: number, error: Error): boolean {
  const refused = error instanceof ApiError && error.status < 500;
  return !refused && failures < maxRetries;
}

export function createQueryClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError: notice, onSuccess: noticeServerIsBack }),
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
    if (error instanceof UnreachableError) void client.invalidateQueries({ queryKey: healthKey });
  }
  // Vite's event for a screen whose file could not be loaded.
  window.addEventListener('vite:preloadError', () => client.invalidateQueries({ queryKey: healthKey }));
  /** Loads what failed while the server was away, as soon as it answers again. */
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
