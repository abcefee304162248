import { type QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';

export type Entry = components['schemas']['DictionaryEntry'];

const listKey = ['dictionary'];
const pageSize = 500;
/** What one request takes. */
export const wordsPerRequest = 200;

const fetchPage = (cursor: string, signal?: AbortSignal) =>
  read(
    api.GET('/api/v1/dictionary/list', {
      params: { query: { limit: pageSize, ...(cursor ? { cursor } : {}) } },
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

export async function fetchAllWords(): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof fetchPage>> = await fetchPage(cursor);
    entries.push(...page.data);
    cursor = page.next_cursor;
  }
  return entries;
}

/** Gives back the entries, of which some may have been there before. */
export const addWords = async (words: string[]) =>
  (await read(api.POST('/api/v1/dictionary/create', { body: { words } }))).data;

export const changeWord = (id: string, word: string) =>
  read(api.PATCH('/api/v1/dictionary/{id}', { params: { path: { id } }, body: { word } }));

export const removeWord = (id: string) =>
  read(api.DELETE('/api/v1/dictionary/{id}', { params: { path: { id } } }));

export const refreshWords = (client: QueryClient) => client.invalidateQueries({ queryKey: listKey });
