import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query';

type More<Data> = Omit<UseQueryOptions<Data, Error, Data, QueryKey>, 'queryKey' | 'queryFn'>;

/** What the server answers to a read. */
export const useData = <Data>(
  queryKey: QueryKey,
  read: (signal: AbortSignal) => Promise<{ data: Data }>,
  more: More<Data> = {},
) =>
  useQuery<Data, Error, Data, QueryKey>({
    queryKey,
    queryFn: async ({ signal }) => (await read(signal)).data,
    ...more,
  });
