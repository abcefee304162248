import { type components, list } from '@steno/sdk';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { isTaken } from '../api/errors.ts';
import { snippetsPerPage } from '../api/limits.ts';
import { usePages } from './use-pages.ts';

export type Snippet = components['schemas']['Snippet'];
export type SnippetDraft = Pick<Snippet, 'trigger' | 'replacement'>;

const listKey = ['snippets'];

export const useSnippets = () =>
  usePages(listKey, (page, signal) =>
    api.GET('/api/v1/snippets/list', { params: { query: { limit: snippetsPerPage, ...page } }, signal }),
  );

export const fetchAllSnippets = (): Promise<Snippet[]> =>
  Array.fromAsync(list(api, '/api/v1/snippets/list', { params: { query: { limit: snippetsPerPage } } }));

export const addSnippet = async (draft: SnippetDraft) =>
  (await api.POST('/api/v1/snippets/create', { body: draft })).data;

/** Returns false when the trigger is taken. */
export const addSnippetIfNew = (draft: SnippetDraft): Promise<boolean> =>
  addSnippet(draft).then(
    () => true,
    (error: unknown) => (isTaken(error) ? false : Promise.reject(error)),
  );

export const changeSnippet = (id: string, draft: SnippetDraft) =>
  api.PATCH('/api/v1/snippets/{id}', { ...at({ id }), body: draft });

export const removeSnippet = (id: string) => api.DELETE('/api/v1/snippets/{id}', at({ id }));

export const refreshSnippets = () => cache.invalidateQueries({ queryKey: listKey });
