import { createStore, useStore } from '../../lib/store.ts';
import type { NoteSort } from '../../resources/note-list.ts';

const key = 'note-sort';

/** A browser that blocks storage forgets the choice. */
function remembered(): NoteSort {
  try {
    return localStorage.getItem(key) === 'updated' ? 'updated' : 'created';
  } catch {
    return 'created';
  }
}

const sort = createStore<NoteSort>(remembered());

/** In which order the person wants their notes. */
export const useNoteSort = () => useStore(sort);

export function sortNotesBy(chosen: NoteSort): void {
  sort.set(chosen);
  try {
    localStorage.setItem(key, chosen);
  } catch {
    // Then it holds until the page is closed.
  }
}
