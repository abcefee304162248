import { useEffect } from 'react';

interface Pages {
  hasNextPage: boolean;
  isFetching: boolean;
  isError: boolean;
  fetchNextPage(): unknown;
}

/** Goes on fetching while `wanted`: a filter that only this page knows must see every item. */
export function useAllPages(
  { hasNextPage, isFetching, isError, fetchNextPage }: Pages,
  wanted: boolean,
): void {
  useEffect(() => {
    if (wanted && hasNextPage && !isFetching && !isError) fetchNextPage();
  }, [wanted, hasNextPage, isFetching, isError, fetchNextPage]);
}
