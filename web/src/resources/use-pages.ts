import {
  keepPreviousData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
} from '@tanstack/react-query';

interface Page<Item> {
  data: Item[];
  next_cursor: string | null;
}

type Options<Item> = UseInfiniteQueryOptions<Page<Item>, Error, Item[], QueryKey, string>;
type Read<Item> = (page: { cursor?: string }, signal: AbortSignal) => Promise<Page<Item>>;

/** A list that is read page by page, as one. */
export const usePages = <Item>(
  queryKey: QueryKey,
  read: Read<Item>,
  more: Pick<Options<Item>, 'enabled' | 'refetchInterval' | 'placeholderData'> = {},
) =>
  useInfiniteQuery<Page<Item>, Error, Item[], QueryKey, string>({
    queryKey,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => read(pageParam ? { cursor: pageParam } : {}, signal),
    getNextPageParam: (page) => page.next_cursor,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    ...more,
  });

export type Pages<Item> = ReturnType<typeof usePages<Item>>;

/** For a list that is searched: it does not flicker at every letter. */
export const steady = { placeholderData: keepPreviousData } as const;
