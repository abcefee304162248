import { type QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { api, read } from '../api/client.ts';
import { wordsPerPage } from '../api/limits.ts';
import { readAllPages } from '../api/pages.ts';
import type { components } from '../api/schema.d.ts';

export type Entry = components['schemas']['DictionaryEntry'];

const listKey = ['dictionary'];

const fetchPage = (cursor: string, signal?: AbortSignal) =>
  read(
    api.GET('/api/v1/dictionary/list', {
      params: { query: { limit: wordsPerPage, ...(cursor ? { cursor } : {}) } },
      ...(signal ? { signal } : {}),
    }),
  );

export const useWords = () =>
  useInfiniteQuery({
    queryKey: listKey,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    getNextPageParam: (page) => page.next_cursor,
  });

export const fetchAllWords = (): Promise<Entry[]> => readAllPages(fetchPage);

/** Returns the entries, including those that already existed. */
export const addWords = async (words: string[]) =>
  (await read(api.POST('/api/v1/dictionary/create', { body: { words } }))).data;

export const changeWord = (id: string, word: string) =>
  read(api.PATCH('/api/v1/dictionary/{id}', { params: { path: { id } }, body: { word } }));

export const removeWord = (id: string) =>
  read(api.DELETE('/api/v1/dictionary/{id}', { params: { path: { id } } }));

export const refreshWords = (client: QueryClient) => client.invalidateQueries({ queryKey: listKey });
