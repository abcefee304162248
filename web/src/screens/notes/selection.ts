import { createStore, useStore } from '../../lib/store.ts';

/** The notes that are chosen to be moved, pinned or deleted together. Undefined while none are being chosen. */
const selection = createStore<ReadonlySet<string> | undefined>(undefined);

export const useSelection = () => useStore(selection);
export const startSelecting = (ids: readonly string[] = []) => selection.set(new Set(ids));
export const stopSelecting = () => selection.set(undefined);

let lastChosen: string | undefined;

/** With `inList`, everything between the last chosen note and this one is chosen too. */
export function toggleSelected(id: string, inList?: readonly { id: string }[]): void {
  const ids = new Set(selection.get());
  const from = inList?.findIndex((note) => note.id === lastChosen) ?? -1;
  const to = inList?.findIndex((note) => note.id === id) ?? -1;
  if (inList && from !== -1 && to !== -1)
    for (const note of inList.slice(Math.min(from, to), Math.max(from, to) + 1)) ids.add(note.id);
  else if (!ids.delete(id)) ids.add(id);
  lastChosen = id;
  selection.set(ids);
}

/** What a drag that begins at this note carries: all chosen notes if it is one of them. */
export function draggedWith(id: string): string[] {
  const chosen = selection.get();
  return chosen?.has(id) ? [...chosen] : [id];
}
