import type { QueryClient } from '@tanstack/react-query';
import { isNotFound } from '../../api/errors.ts';
import { createStore, useStore } from '../../lib/store.ts';
import { deleteNote, deleteNoteOnLeaving, forgetNote, type Note } from '../../resources/notes.ts';
import { strings } from '../../strings.ts';
import { toast, toastError } from '../../ui/toast.tsx';

const undoMs = 7_000;

const pending = createStore<ReadonlySet<string>>(new Set());

/**
 * The API cannot restore a note, so "undo" delays the delete: the note leaves the screen at once, and the server
 * when the toast or the page closes.
 */
export function deleteWithUndo(client: QueryClient, note: Note, onUndo: () => void): void {
  change((ids) => ids.add(note.id));
  toast({
    title: strings.notes.deleted(note.title || strings.notes.untitled),
    durationMs: undoMs,
    action: {
      label: strings.common.undo,
      run() {
        change((ids) => ids.delete(note.id));
        onUndo();
      },
    },
    onGone: () => deleteNow(client, note.id),
  });
}

async function deleteNow(client: QueryClient, id: string): Promise<void> {
  try {
    await deleteNote(id);
  } catch (error) {
    if (!isNotFound(error)) {
      change((ids) => ids.delete(id));
      toastError(error);
      return;
    }
  }
  forgetNote(client, id);
}

/** The ids of deleted notes, which lists leave out. */
export const usePendingDeletes = () => useStore(pending);

function change(how: (ids: Set<string>) => void): void {
  const next = new Set(pending.get());
  how(next);
  pending.set(next);
}

window.addEventListener('pagehide', () => {
  for (const id of pending.get()) deleteNoteOnLeaving(id);
});
