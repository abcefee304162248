import { type components, list } from '@steno/sdk';
import { type QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { StenoError } from '../api/errors.ts';
import { snippetsPerPage } from '../api/limits.ts';

export type Snippet = components['schemas']['Snippet'];
export type SnippetDraft = Pick<Snippet, 'trigger' | 'replacement'>;

const listKey = ['snippets'];

export const useSnippets = () =>
  useInfiniteQuery({
    queryKey: listKey,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: snippetsPerPage, ...(pageParam ? { cursor: pageParam } : {}) };
      return api.GET('/api/v1/snippets/list', { params: { query }, signal });
    },
    getNextPageParam: (page) => page.next_cursor,
  });

export async function fetchAllSnippets(): Promise<Snippet[]> {
  const snippets: Snippet[] = [];
  const params = { query: { limit: snippetsPerPage } };
  for await (const found of list(api, '/api/v1/snippets/list', { params })) snippets.push(found);
  return snippets;
}

export const addSnippet = async (draft: SnippetDraft) =>
  (await api.POST('/api/v1/snippets/create', { body: draft })).data;

/** Returns false when the trigger is taken. */
export async function addSnippetIfNew(draft: SnippetDraft): Promise<boolean> {
  try {
    await addSnippet(draft);
    return true;
  } catch (error) {
    if (isTaken(error)) return false;
    throw error;
  }
}

export const changeSnippet = (id: string, draft: SnippetDraft) =>
  api.PATCH('/api/v1/snippets/{id}', { params: { path: { id } }, body: draft });

export const removeSnippet = (id: string) =>
  api.DELETE('/api/v1/snippets/{id}', { params: { path: { id } } });

export const refreshSnippets = (client: QueryClient) => client.invalidateQueries({ queryKey: listKey });

export const isTaken = (error: unknown) => error instanceof StenoError && error.code === 'conflict';
