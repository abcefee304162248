import type { QueryClient } from '@tanstack/react-query';
import { formatNumber } from '../../lib/format.ts';
import { useStore } from '../../lib/store.ts';
import { pendingDeletes as pending } from '../../notes/pending-deletes.ts';
import { refreshNoteLists } from '../../resources/note-list.ts';
import { forgetNotes, isOfNotes, type Note } from '../../resources/notes.ts';
import { refreshTrash } from '../../resources/trash.ts';
import { commonStrings } from '../../strings/common.ts';
import { noteStrings } from '../../strings/notes.ts';
import { toast, toastError } from '../../ui/toast.tsx';
import { changeMany, undoMs } from './change-many.ts';

const texts = noteStrings;

/** Moves the notes to the trash. "Undo" takes them out again. */
export async function deleteWithUndo(
  client: QueryClient,
  notes: readonly Pick<Note, 'id' | 'title'>[],
  onUndo?: () => void,
): Promise<void> {
  const ids = notes.map(({ id }) => id);
  offer(ids);
  const deleted = new Set<string>();
  const onDone = (done: readonly string[]) => {
    for (const id of done) deleted.add(id);
  };
  try {
    await changeMany(client, { ids, change: { deleted: true }, doing: texts.doing.delete, onDone });
  } catch (error) {
    toastError(error);
  }
  withdraw(ids.filter((id) => !deleted.has(id)));
  void refreshTrash(client);
  // The notes that no longer existed.
  if (deleted.size < ids.length) void refreshNoteLists(client);
  if (deleted.size === 0) return;
  toast({
    title:
      deleted.size === 1
        ? texts.deleted(notes[0]?.title || texts.untitled)
        : texts.deletedMany(formatNumber(deleted.size)),
    durationMs: undoMs,
    action: { label: commonStrings.undo, run: () => void undo(client, deleted).then(onUndo) },
    onGone() {
      void forgetNotes(client, [...deleted]);
      withdraw(deleted);
    },
  });
}

async function undo(client: QueryClient, deleted: ReadonlySet<string>): Promise<void> {
  const ids = [...deleted];
  try {
    await changeMany(client, {
      ids,
      change: { deleted: false },
      doing: texts.doing.restore,
      onDone: withdraw,
    });
  } catch (error) {
    toastError(error);
  }
  // Notes that could not be restored are in the trash.
  const rest = ids.filter((id) => pending.get().has(id));
  if (rest.length > 0) void forgetNotes(client, rest);
  withdraw(rest);
  void client.invalidateQueries(isOfNotes(deleted));
  void refreshTrash(client);
  void refreshNoteLists(client);
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
