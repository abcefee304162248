import { type InfiniteData, type QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { api, read } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';

type Schemas = components['schemas'];
export type Note = Schemas['Note'];
export type OpenNote = Schemas['NoteWithTranscript'];
export type Folder = Schemas['Folder'];

const foldersKey = ['folders'];
const listKey = ['notes', 'list'];
const searchKey = ['notes', 'search'];
const noteKey = (id: string) => ['notes', 'one', id];

export const useFolders = () =>
  useQuery({
    queryKey: foldersKey,
    queryFn: async () => (await read(api.GET('/api/v1/folders/list'))).data,
    staleTime: 60_000,
  });

export async function createFolder(client: QueryClient, name: string): Promise<Folder> {
  const { data } = await read(api.POST('/api/v1/folders/create', { body: { name } }));
  await client.invalidateQueries({ queryKey: foldersKey });
  return data;
}

export const useNoteList = (folderId: string | undefined, enabled: boolean) =>
  useInfiniteQuery({
    queryKey: [...listKey, folderId ?? 'all'],
    enabled,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) =>
      read(
        api.GET('/api/v1/notes/list', {
          params: {
            query: {
              ...(folderId ? { folder_id: folderId } : {}),
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
  });

export const useNoteSearch = (query: string) =>
  useQuery({
    queryKey: [...searchKey, query],
    enabled: query !== '',
    queryFn: async ({ signal }) =>
      (await read(api.POST('/api/v1/notes/search', { body: { query, limit: 50 }, signal }))).data,
    // While the next answer is on its way the last one stays: the list must not flicker with every letter.
    placeholderData: (before) => before,
  });

export const useNote = (id: string | undefined) =>
  useQuery({
    queryKey: noteKey(id ?? ''),
    enabled: id !== undefined,
    queryFn: () => fetchNote(id ?? ''),
  });

export const fetchNote = async (id: string): Promise<OpenNote> =>
  (await read(api.GET('/api/v1/notes/{id}', { params: { path: { id } } }))).data;

/** What was just saved shows at once wherever the note is shown. */
export function showSaved(client: QueryClient, note: Note): void {
  const isNew = client.getQueryData(noteKey(note.id)) === undefined;
  client.setQueryData<OpenNote>(noteKey(note.id), (before) => ({ transcript: null, ...before, ...note }));
  client.setQueriesData<InfiniteData<{ data: Note[] }>>(
    { queryKey: listKey },
    (list) =>
      list && { ...list, pages: list.pages.map((page) => ({ ...page, data: page.data.map(current) })) },
  );
  client.setQueriesData<Note[]>({ queryKey: searchKey }, (found) => found?.map(current));
  if (isNew) client.invalidateQueries({ queryKey: listKey });

  function current<Known extends Note>(known: Known): Known {
    return known.id === note.id ? { ...known, ...note } : known;
  }
}

export async function moveNote(client: QueryClient, id: string, folderId: string | null): Promise<void> {
  const { data } = await read(
    api.PATCH('/api/v1/notes/{id}', { params: { path: { id } }, body: { folder_id: folderId } }),
  );
  showSaved(client, data);
  await client.invalidateQueries({ queryKey: listKey });
}

export function forgetNote(client: QueryClient, id: string): void {
  client.removeQueries({ queryKey: noteKey(id) });
  client.invalidateQueries({ queryKey: listKey });
  client.invalidateQueries({ queryKey: searchKey });
}
