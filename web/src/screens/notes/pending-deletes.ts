import type { QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { api, read } from '../../api/client.ts';
import { isNotFound } from '../../api/errors.ts';
import { strings } from '../../strings.ts';
import { toast, toastError } from '../../ui/toast.tsx';
import { forgetNote, type Note } from './queries.ts';

const undoMs = 7_000;

let pending: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();

/**
 * The API cannot bring a note back, so "undo" is a delete that waits: the note leaves the screen at once and the
 * server when the toast goes, or when the page does.
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
    await read(api.DELETE('/api/v1/notes/{id}', { params: { path: { id } } }));
  } catch (error) {
    if (!isNotFound(error)) {
      change((ids) => ids.delete(id));
      toastError(error);
      return;
    }
  }
  forgetNote(client, id);
}

/** Ids that no list shows. */
export const usePendingDeletes = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => pending,
  );

function change(how: (ids: Set<string>) => void): void {
  const next = new Set(pending);
  how(next);
  pending = next;
  for (const listener of listeners) listener();
}

window.addEventListener('pagehide', () => {
  for (const id of pending) fetch(`/api/v1/notes/${id}`, { method: 'DELETE', keepalive: true });
});
