import { remember } from '../../lib/remembered.ts';
import { createStore, useStore } from '../../lib/store.ts';
import type { NoteSort } from '../../resources/note-list.ts';
import { rememberedSort, sortKey } from './remembered-sort.ts';

const sort = createStore<NoteSort>(rememberedSort());

/** In which order the person wants their notes. */
export const useNoteSort = () => useStore(sort);

export function sortNotesBy(chosen: NoteSort): void {
  sort.set(chosen);
  remember(sortKey, chosen);
}
