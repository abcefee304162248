import type { components } from '@steno/sdk';
import { cache } from '../api/cache.ts';
import { api, at, slow } from '../api/client.ts';
import { refreshNoteLists } from './note-list.ts';
import { noteKey } from './notes.ts';
import { usePages } from './use-pages.ts';

export type TrashedNote = components['schemas']['TrashedNote'];

const trashKey = ['notes', 'trash'];
const inSpace = (spaceId: string | undefined) => (spaceId ? { space_id: spaceId } : {});

/** The last deleted first. */
export const useTrash = (spaceId: string | undefined, enabled = true) =>
  usePages(
    [...trashKey, spaceId ?? 'own'],
    (page, signal) =>
      api.GET('/api/v1/notes/trash', { params: { query: { ...inSpace(spaceId), ...page } }, signal }),
    { enabled },
  );

export async function restoreNote(id: string): Promise<void> {
  await api.POST('/api/v1/notes/{id}/restore', at({ id }));
  // A page that has it open says that it is gone.
  const openNote = cache.invalidateQueries({ queryKey: noteKey(id) });
  await Promise.all([openNote, refreshTrash(), refreshNoteLists()]);
}

export async function purgeNote(id: string): Promise<void> {
  await api.DELETE('/api/v1/notes/trash/{id}', at({ id }));
  await refreshTrash();
}

export async function emptyTrash(spaceId: string | undefined): Promise<void> {
  await api.DELETE('/api/v1/notes/trash', { params: { query: inSpace(spaceId) }, ...slow });
  await refreshTrash();
}

export const refreshTrash = () => cache.invalidateQueries({ queryKey: trashKey });
