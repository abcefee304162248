import { cache } from '../api/cache.ts';
import { api } from '../api/client.ts';
import { refreshNoteLists } from './note-list.ts';
import { changeNotes, refreshNote } from './notes.ts';
import { useData } from './use-data.ts';

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
  void refreshTagged();
}

/** After notes got other tags. */
export const refreshTagged = () =>
  Promise.all([cache.invalidateQueries({ queryKey: listKey }), refreshNoteLists()]);
