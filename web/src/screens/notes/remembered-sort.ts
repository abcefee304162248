import type { NoteSort } from '../../resources/note-list.ts';

export const sortKey = 'note-sort';

/** A browser that blocks storage forgets the choice. */
export function rememberedSort(): NoteSort {
  try {
    return localStorage.getItem(sortKey) === 'updated' ? 'updated' : 'created';
  } catch {
    return 'created';
  }
}
