import type { QueryClient } from '@tanstack/react-query';
import { isNotFound } from '../../api/errors.ts';
import { createStore, useStore } from '../../lib/store.ts';
import { deleteNote, forgetNotes, type Note } from '../../resources/notes.ts';
import { refreshTrash, restoreNote } from '../../resources/trash.ts';
import { commonStrings } from '../../strings/common.ts';
import { noteStrings } from '../../strings/notes.ts';
import { toast, toastError } from '../../ui/toast.tsx';

const undoMs = 7_000;

/** Deleted notes that the toast still offers to bring back. */
const pending = createStore<ReadonlySet<string>>(new Set());

/** Moves the notes to the trash. "Undo" takes them out again. */
export async function deleteWithUndo(
  client: QueryClient,
  notes: readonly Pick<Note, 'id' | 'title'>[],
  onUndo?: () => void,
): Promise<void> {
  const ids = notes.map(({ id }) => id);
  offer(ids);
  const deleted = new Set<string>();
  try {
    for (const id of ids) {
      await deleteNote(id).catch(ignoreGone);
      deleted.add(id);
    }
  } catch (error) {
    toastError(error);
  }
  withdraw(ids.filter((id) => !deleted.has(id)));
  void refreshTrash(client);
  if (deleted.size === 0) return;
  toast({
    title:
      deleted.size === 1
        ? noteStrings.deleted(notes[0]?.title || noteStrings.untitled)
        : noteStrings.deletedMany(deleted.size),
    durationMs: undoMs,
    action: {
      label: commonStrings.undo,
      async run() {
        try {
          for (const id of deleted) await restoreNote(client, id);
        } catch (error) {
          toastError(error);
        }
        withdraw(deleted);
        onUndo?.();
      },
    },
    onGone() {
      void forgetNotes(client, [...deleted]);
      withdraw(deleted);
    },
  });
}

/** Somebody else deleted it first. */
function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/** The ids of deleted notes, which lists leave out. */
export const usePendingDeletes = () => useStore(pending);

function offer(ids: readonly string[]): void {
  pending.set(new Set([...pending.get(), ...ids]));
}

function withdraw(ids: Iterable<string>): void {
  const rest = new Set(pending.get());
  for (const id of ids) rest.delete(id);
  pending.set(rest);
}
