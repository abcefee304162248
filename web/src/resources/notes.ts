import type { components, operations } from '@steno/sdk';
import { hashKey, useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { forgetShown } from '../lib/browser-storage.ts';
import { newest } from '../lib/newest.ts';
import {
  type Changed,
  refreshNoteLists,
  removeFromLists,
  updateLists,
  wholeListedNote,
} from './note-list.ts';
import { useData } from './use-data.ts';

type Schemas = components['schemas'];
export type Note = Schemas['Note'];
export type OpenNote = Schemas['NoteWithTranscript'];
type NewNote = operations['createNote']['requestBody']['content']['application/json'];
export type ChangeOfMany = Pick<
  operations['changeNotes']['requestBody']['content']['application/json'],
  'deleted' | 'folder_id' | 'pinned' | 'add_tags' | 'remove_tags'
>;
type NoteChange = NonNullable<operations['updateNote']['requestBody']>['content']['application/json'];

export const noteKey = (id: string) => ['notes', 'one', id];

/** Until the note is loaded, shows what the lists have: at their beginning everything but its transcript. Offline it stays like that. */
export function useNote(id: string | undefined) {
  return useQuery({
    queryKey: noteKey(id ?? ''),
    enabled: id !== undefined,
    queryFn: async () => {
      const answer = await fetchNote(id ?? '');
      const known = cache.getQueryData<OpenNote>(noteKey(answer.id));
      const [note = answer] = newest([answer], known && [known]);
      return { ...note, transcript: note.transcript ?? answer.transcript };
    },
    initialData: () => {
      const note = wholeListedNote(id);
      return note && { ...note, transcript: null };
    },
    initialDataUpdatedAt: 0,
  });
}

/** The whole note as it is cached, if it is. */
export const knownNote = (id: string): Note | undefined =>
  cache.getQueryData<OpenNote>(noteKey(id)) ?? wholeListedNote(id);

/** Reads the note again, and shows it in every list that has it, unless a newer one came meanwhile. */
export async function refreshNote(id: string): Promise<Note> {
  const { transcript, ...note } = await fetchNote(id);
  const known = cache.getQueryData<OpenNote>(noteKey(id));
  if (known && known.revision > note.revision) return known;
  cache.setQueryData<OpenNote>(noteKey(id), { ...note, transcript });
  updateLists(new Map([[id, note]]));
  return note;
}

/** Which of these notes this page has as a whole, and whether they are on the screen. */
export const openNotes = (ids: ReadonlySet<string>) =>
  cache
    .getQueryCache()
    .findAll({ ...isOfNotes(ids) })
    .flatMap((query) => {
      const note =
        query.queryKey.length === noteKey('').length && cache.getQueryData<OpenNote>(query.queryKey);
      return note ? [{ note, place: query.isActive() ? ('open' as const) : ('kept' as const) }] : [];
    });

export const useNoteTranscript = (id: string) =>
  useData([...noteKey(id), 'transcript'], (signal) =>
    api.GET('/api/v1/notes/{id}/transcript', { ...at({ id }), signal }),
  );

export const fetchNote = async (id: string): Promise<OpenNote> =>
  (await api.GET('/api/v1/notes/{id}', at({ id }))).data;

/** `keepalive` lets the request finish after its page is closed. */
export const createNote = async (body: NewNote, { keepalive = false } = {}): Promise<Note> =>
  (await api.POST('/api/v1/notes/create', { body, keepalive })).data;

export const changeNote = async (id: string, body: NoteChange, { keepalive = false } = {}): Promise<Note> =>
  (await api.PATCH('/api/v1/notes/{id}', { ...at({ id }), body, keepalive })).data;

/** Reads the notes on the screen again. */
export const refreshOpenNotes = () => cache.invalidateQueries({ queryKey: noteKey('').slice(0, -1) });

export const deleteNote = (id: string) => api.DELETE('/api/v1/notes/{id}', at({ id }));

/** Updates the note wherever it is cached, so that every list shows what was just saved. */
export function showSaved(saved: Note, isNew = false): void {
  cache.setQueryData<OpenNote>(noteKey(saved.id), (before) =>
    before && before.revision > saved.revision
      ? before
      : before
        ? { ...before, ...saved }
        : isNew
          ? { ...saved, transcript: null }
          : undefined,
  );
  updateLists(new Map([[saved.id, saved]]));
  if (isNew) void refreshNoteLists();
}

/** Changes up to `notesPerChange` notes and updates the cache, except for their tags. Returns the ids of the notes that are now as asked. */
export async function changeNotes(ids: readonly string[], change: ChangeOfMany): Promise<string[]> {
  const body = { ids: [...ids], ...change };
  const { data } = await api.POST('/api/v1/notes/change', { body });
  const { deleted: _, add_tags: __, remove_tags: ___, ...shown } = change;
  const changed: Changed = new Map(data.map(({ id, updated_at }) => [id, { ...shown, updated_at }]));
  for (const [id, news] of changed)
    cache.setQueryData<OpenNote>(noteKey(id), (before) => before && { ...before, ...news });
  updateLists(changed);
  return data.map(({ id }) => id);
}

/** All query keys of these notes. */
export const isOfNotes = (ids: ReadonlySet<string>) => ({
  predicate: ({ queryKey: [notes, one, id] }: { queryKey: readonly unknown[] }) =>
    notes === 'notes' && one === 'one' && typeof id === 'string' && ids.has(id),
});

/** After these notes were deleted. */
export function forgetNotes(ids: readonly string[]): Promise<void> {
  cache.removeQueries(isOfNotes(new Set(ids)));
  void forgetShown(ids.map((id) => hashKey(noteKey(id))));
  return removeFromLists(ids);
}
