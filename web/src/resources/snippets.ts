import { type QueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { api, read } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { snippetsPerPage } from '../api/limits.ts';
import { readAllPages } from '../api/pages.ts';
import type { components } from '../api/schema.d.ts';

export type Snippet = components['schemas']['Snippet'];
export type SnippetDraft = Pick<Snippet, 'trigger' | 'replacement'>;

const listKey = ['snippets'];

const fetchPage = (cursor: string, signal?: AbortSignal) =>
  read(
    api.GET('/api/v1/snippets/list', {
      params: { query: { limit: snippetsPerPage, ...(cursor ? { cursor } : {}) } },
      ...(signal ? { signal } : {}),
    }),
  );

export const useSnippets = () =>
  useInfiniteQuery({
    queryKey: listKey,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    getNextPageParam: (page) => page.next_cursor,
  });

export const fetchAllSnippets = (): Promise<Snippet[]> => readAllPages(fetchPage);

export const addSnippet = async (draft: SnippetDraft) =>
  (await read(api.POST('/api/v1/snippets/create', { body: draft }))).data;

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
  read(api.PATCH('/api/v1/snippets/{id}', { params: { path: { id } }, body: draft }));

export const removeSnippet = (id: string) =>
  read(api.DELETE('/api/v1/snippets/{id}', { params: { path: { id } } }));

export const refreshSnippets = (client: QueryClient) => client.invalidateQueries({ queryKey: listKey });

export const isTaken = (error: unknown) => error instanceof ApiError && error.code === 'conflict';
