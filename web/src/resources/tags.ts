import type { components } from '@steno/sdk';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { refreshNoteLists } from './note-list.ts';
import { changeNotes, refreshNote, refreshOpenNotes } from './notes.ts';
import { useData } from './use-data.ts';

export type Tag = components['schemas']['Tag'];

const listKey = ['tags'];

/** The tags of a space, or the person's own. */
export const useTags = (spaceId: string | undefined, enabled = true) =>
  useData(
    [...listKey, spaceId ?? 'own'],
    () => api.GET('/api/v1/tags/list', { params: { query: spaceId ? { space_id: spaceId } : {} } }),
    { enabled },
  );

/** Gives the note a tag besides the ones that it has, which another page may be changing too; or takes one from it. */
export async function tagNote(id: string, change: 'add_tags' | 'remove_tags', name: string): Promise<void> {
  await changeNotes([id], { [change]: [name] });
  await refreshNote(id);
  void refreshLists();
}

export async function renameTag(id: string, name: string): Promise<void> {
  await api.PATCH('/api/v1/tags/{id}', { ...at({ id }), body: { name } });
  await refreshTagged();
}

/** Its notes get the other one, and it is gone. */
export async function mergeTag(id: string, into: string): Promise<void> {
  await api.POST('/api/v1/tags/{id}/merge', { ...at({ id }), body: { into } });
  await refreshTagged();
}

/** Its notes stay. */
export async function deleteTag(id: string): Promise<void> {
  await api.DELETE('/api/v1/tags/{id}', at({ id }));
  await refreshTagged();
}

const refreshLists = () => Promise.all([cache.invalidateQueries({ queryKey: listKey }), refreshNoteLists()]);

/** After several notes got other tags. */
export const refreshTagged = () => Promise.all([refreshLists(), refreshOpenNotes()]);
