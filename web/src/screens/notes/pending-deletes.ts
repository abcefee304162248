import { cache } from '../../api/cache.ts';
import { formatNumber } from '../../lib/format.ts';
import { useStore } from '../../lib/store.ts';
import { pendingDeletes as pending } from '../../notes/pending-deletes.ts';
import { refreshNoteLists } from '../../resources/note-list.ts';
import { forgetNotes, isOfNotes, type Note } from '../../resources/notes.ts';
import { refreshTrash } from '../../resources/trash.ts';
import { commonStrings } from '../../strings/common.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { toast, toastError } from '../../ui/toast.tsx';
import { changeMany, undoMs } from './change-many.ts';

/** Moves the notes to the trash. "Undo" takes them out again. */
export async function deleteWithUndo(
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
    await changeMany({ ids, change: { deleted: true }, doing: texts.doing.delete, onDone });
  } catch (error) {
    toastError(error);
  }
  withdraw(ids.filter((id) => !deleted.has(id)));
  void refreshTrash();
  // The notes that no longer existed.
  if (deleted.size < ids.length) void refreshNoteLists();
  if (deleted.size === 0) return;
  toast({
    title:
      deleted.size === 1
        ? texts.deleted(notes[0]?.title || texts.untitled)
        : texts.deletedMany(formatNumber(deleted.size)),
    durationMs: undoMs,
    action: { label: commonStrings.undo, run: () => void undo(deleted).then(onUndo) },
    onGone() {
      void forgetNotes([...deleted]);
      withdraw(deleted);
    },
  });
}

async function undo(deleted: ReadonlySet<string>): Promise<void> {
  const ids = [...deleted];
  try {
    await changeMany({
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
  if (rest.length > 0) void forgetNotes(rest);
  withdraw(rest);
  void cache.invalidateQueries(isOfNotes(deleted));
  void refreshTrash();
  void refreshNoteLists();
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
