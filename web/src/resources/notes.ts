import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { api, read } from '../api/client.ts';
import { maxNotesFound } from '../api/limits.ts';
import type { components, operations } from '../api/schema.d.ts';
import { randomId } from '../lib/random-id.ts';

type Schemas = components['schemas'];
export type Note = Schemas['Note'];
export type OpenNote = Schemas['NoteWithTranscript'];
export type FoundNote = Schemas['FoundNote'];
type FoundNotes = operations['searchNotes']['responses'][200]['content']['application/json'];
export type NoteTranscript =
  operations['getNoteTranscript']['responses'][200]['content']['application/json']['data'];
type NewNote = operations['createNote']['requestBody']['content']['application/json'];
type NoteChange = NonNullable<operations['updateNote']['requestBody']>['content']['application/json'];

const listKey = ['notes', 'list'];
const searchKey = ['notes', 'search'];
const noteKey = (id: string) => ['notes', 'one', id];

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

/** Searches all notes, or those in one folder. */
export const useNoteSearch = (query: string, folderId: string | undefined) =>
  useQuery({
    queryKey: [...searchKey, folderId ?? 'all', query],
    enabled: query !== '',
    queryFn: ({ signal }) =>
      read(
        api.POST('/api/v1/notes/search', {
          body: {
            query,
            limit: maxNotesFound,
            highlights: true,
            ...(folderId ? { folder_id: folderId } : {}),
          },
          signal,
        }),
      ),
    // Keep showing the previous results while the next ones load, so that the list does not flicker at every letter.
    placeholderData: (before) => before,
  });

/** Until the note is loaded, it is what the lists have of it: all but its transcript. Without a connection it stays so. */
export function useNote(id: string | undefined) {
  const client = useQueryClient();
  return useQuery({
    queryKey: noteKey(id ?? ''),
    enabled: id !== undefined,
    queryFn: () => fetchNote(id ?? ''),
    initialData: () => {
      const note = listedNote(client, id);
      return note && { ...note, transcript: null };
    },
    initialDataUpdatedAt: 0,
  });
}

function listedNote(client: QueryClient, id: string | undefined): Note | undefined {
  const lists = client.getQueriesData<InfiniteData<{ data: Note[] }>>({ queryKey: listKey });
  return lists
    .flatMap(([, list]) => list?.pages ?? [])
    .flatMap((page) => page.data)
    .find((note) => note.id === id);
}

export const useNoteTranscript = (id: string, enabled: boolean) =>
  useQuery({
    queryKey: [...noteKey(id), 'transcript'],
    enabled,
    queryFn: async ({ signal }) =>
      (await read(api.GET('/api/v1/notes/{id}/transcript', { params: { path: { id } }, signal }))).data,
  });

export const fetchNote = async (id: string): Promise<OpenNote> =>
  (await read(api.GET('/api/v1/notes/{id}', { params: { path: { id } } }))).data;

/** `keepalive` lets the request finish after its page is closed. With the same `key` it creates only one note. */
export const createNote = async (
  body: NewNote,
  { keepalive = false, key = randomId() } = {},
): Promise<Note> => {
  const params = { header: { 'Idempotency-Key': key } };
  return (await read(api.POST('/api/v1/notes/create', { body, keepalive, params }))).data;
};

export const changeNote = async (id: string, body: NoteChange, { keepalive = false } = {}): Promise<Note> =>
  (await read(api.PATCH('/api/v1/notes/{id}', { params: { path: { id } }, body, keepalive }))).data;

export const deleteNote = (id: string) =>
  read(api.DELETE('/api/v1/notes/{id}', { params: { path: { id } } }));

/** For a page that is closing: the request is sent, the answer is never read. */
export function deleteNoteOnLeaving(id: string): void {
  fetch(`/api/v1/notes/${id}`, { method: 'DELETE', keepalive: true });
}

/** Updates the note wherever it is cached, so that every list shows what was just saved. */
export function showSaved(client: QueryClient, note: Note, isNew = false): void {
  client.setQueryData<OpenNote>(noteKey(note.id), (before) =>
    before ? { ...before, ...note } : isNew ? { ...note, transcript: null } : undefined,
  );
  client.setQueriesData<InfiniteData<{ data: Note[] }>>(
    { queryKey: listKey },
    (list) =>
      list && { ...list, pages: list.pages.map((page) => ({ ...page, data: page.data.map(current) })) },
  );
  client.setQueriesData<FoundNotes>(
    { queryKey: searchKey },
    (found) => found && { ...found, data: found.data.map(current) },
  );
  if (isNew) refreshNoteLists(client);

  function current<Known extends Note>(known: Known): Known {
    return known.id === note.id ? { ...known, ...note } : known;
  }
}

export const refreshNoteLists = (client: QueryClient) => client.invalidateQueries({ queryKey: listKey });

export async function moveNote(client: QueryClient, id: string, folderId: string | null): Promise<void> {
  showSaved(client, await changeNote(id, { folder_id: folderId }));
  await refreshNoteLists(client);
}

export function forgetNote(client: QueryClient, id: string): void {
  client.removeQueries({ queryKey: noteKey(id) });
  refreshNoteLists(client);
  client.invalidateQueries({ queryKey: searchKey });
}
