import type { DragEvent } from 'react';
import type { ListedNote } from '../../resources/note-list.ts';
import { draggedWith } from './selection.ts';

const type = 'application/x-steno-notes';

/** A dragged note can be dropped on a folder; in other programs it becomes its text, or its address if this page has no more. */
export function carryNotes(transfer: DataTransfer, { id, content }: ListedNote): void {
  transfer.effectAllowed = 'copyMove';
  transfer.setData(type, JSON.stringify(draggedWith(id)));
  transfer.setData('text/plain', content ?? new URL(`/notes/${id}`, window.location.href).href);
}

/** Props that make an element accept dropped notes. */
export const takesNotes = (take: (ids: string[]) => void) => ({
  onDragOver(event: DragEvent) {
    if (!event.dataTransfer.types.includes(type)) return;
    event.preventDefault();
    event.currentTarget.setAttribute('data-over', '');
  },
  onDragLeave: (event: DragEvent) => event.currentTarget.removeAttribute('data-over'),
  onDrop(event: DragEvent) {
    event.currentTarget.removeAttribute('data-over');
    const carried = event.dataTransfer.getData(type);
    if (carried === '') return;
    event.preventDefault();
    // Written by `carryNotes`.
    take(JSON.parse(carried) as string[]);
  },
});
