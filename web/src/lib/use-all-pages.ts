import { useEffect } from 'react';

interface Pages {
  hasNextPage: boolean;
  isFetching: boolean;
  isError: boolean;
  fetchNextPage(): unknown;
}

/** Fetches page after page while `wanted`, for filters that the server does not have. */
export function useAllPages(
  { hasNextPage, isFetching, isError, fetchNextPage }: Pages,
  wanted: boolean,
): void {
  useEffect(() => {
    if (wanted && hasNextPage && !isFetching && !isError) fetchNextPage();
  }, [wanted, hasNextPage, isFetching, isError, fetchNextPage]);
}
