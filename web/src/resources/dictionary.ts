import { type components, list } from '@steno/sdk';
import { type QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { wordsPerPage } from '../api/limits.ts';

export type Entry = components['schemas']['DictionaryEntry'];

const listKey = ['dictionary'];

export const useWords = () =>
  useInfiniteQuery({
    queryKey: listKey,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: wordsPerPage, ...(pageParam ? { cursor: pageParam } : {}) };
      return api.GET('/api/v1/dictionary/list', { params: { query }, signal });
    },
    getNextPageParam: (page) => page.next_cursor,
  });

export async function fetchAllWords(): Promise<Entry[]> {
  const words: Entry[] = [];
  const params = { query: { limit: wordsPerPage } };
  for await (const found of list(api, '/api/v1/dictionary/list', { params })) words.push(found);
  return words;
}

/** Returns the entries, including those that already existed. */
export const addWords = async (words: string[]) =>
  (await api.POST('/api/v1/dictionary/create', { body: { words } })).data;

export const changeWord = (id: string, word: string) =>
  api.PATCH('/api/v1/dictionary/{id}', { params: { path: { id } }, body: { word } });

export const removeWord = (id: string) => api.DELETE('/api/v1/dictionary/{id}', { params: { path: { id } } });

export const refreshWords = (client: QueryClient) => client.invalidateQueries({ queryKey: listKey });
