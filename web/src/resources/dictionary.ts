import { type components, list } from '@steno/sdk';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { wordsPerPage } from '../api/limits.ts';
import { usePages } from './use-pages.ts';

export type Entry = components['schemas']['DictionaryEntry'];

const listKey = ['dictionary'];

export const useWords = () =>
  usePages(listKey, (page, signal) =>
    api.GET('/api/v1/dictionary/list', { params: { query: { limit: wordsPerPage, ...page } }, signal }),
  );

export const fetchAllWords = (): Promise<Entry[]> =>
  Array.fromAsync(list(api, '/api/v1/dictionary/list', { params: { query: { limit: wordsPerPage } } }));

/** Returns the entries, including those that already existed. */
export const addWords = async (words: string[]) =>
  (await api.POST('/api/v1/dictionary/create', { body: { words } })).data;

export const changeWord = (id: string, word: string) =>
  api.PATCH('/api/v1/dictionary/{id}', { ...at({ id }), body: { word } });

export const removeWord = (id: string) => api.DELETE('/api/v1/dictionary/{id}', at({ id }));

export const refreshWords = () => cache.invalidateQueries({ queryKey: listKey });
