import { inBatches } from '../../api/in-batches.ts';
import { notesPerChange } from '../../api/limits.ts';
import { formatNumber } from '../../lib/format.ts';
import { listedNote, refreshNoteLists } from '../../resources/note-list.ts';
import { type ChangeOfMany, changeNotes, knownNote } from '../../resources/notes.ts';
import { commonStrings } from '../../strings/common.ts';
import { noteStrings } from '../../strings/notes.ts';
import { toast, toastError } from '../../ui/toast.tsx';

const texts = noteStrings.doing;
/** How long "Undo" is offered. */
export const undoMs = 7_000;

interface Work {
  ids: readonly string[];
  change: ChangeOfMany;
  /** A label for the progress message. */
  doing: string;
  /** These notes are now as asked. */
  onDone?(ids: readonly string[]): void;
}

/**
 * Changes notes, in several requests if there are many. Shows progress and can be stopped. Returns how many notes are as
 * asked, and raises the error that ended it; what was done before that stays.
 */
export async function changeMany({ ids, change, doing, onDone }: Work): Promise<number> {
  const stop = new AbortController();
  const total = formatNumber(ids.length);
  let changed = 0;
  let shown: ReturnType<typeof toast> | undefined;
  function show(detail: string): void {
    const action = { label: commonStrings.stop, run: () => stop.abort() };
    shown ??= toast({ title: doing, durationMs: Number.POSITIVE_INFINITY, action });
    shown.change({ detail });
  }
  window.addEventListener('beforeunload', warn);
  try {
    await inBatches({
      items: ids,
      batchSize: notesPerChange,
      signal: stop.signal,
      async send(batch) {
        const done = await changeNotes(batch, change);
        changed += done.length;
        onDone?.(done);
      },
      onProgress({ done, waiting }) {
        if (waiting !== undefined) show(commonStrings.waiting(waiting));
        else if (ids.length > notesPerChange || shown)
          show(commonStrings.progress(formatNumber(done), total));
      },
    });
    return changed;
  } finally {
    shown?.close();
    window.removeEventListener('beforeunload', warn);
  }
}

/** Leaving the page now would leave some of the notes unchanged. */
const warn = (event: BeforeUnloadEvent) => event.preventDefault();

export const pinNotes = (ids: readonly string[], pinned: boolean) =>
  changeMany({ ids, change: { pinned }, doing: pinned ? texts.pin : texts.unpin });

export interface Folder {
  /** Null: in no folder. */
  id: string | null;
  name: string;
}

/** Says where the notes went. "Undo" brings each back to where it was. */
export async function moveNotes(ids: readonly string[], to: Folder): Promise<void> {
  const before = Map.groupBy(ids, (id) => (knownNote(id) ?? listedNote(id))?.folder_id);
  const moved = await move(ids, to.id);
  const undo = () => {
    const back = [...before].map(([from, notes]) => from !== undefined && move(notes, from));
    void Promise.all(back).then(() => toast({ title: noteStrings.movedBack }), toastError);
  };
  toast({
    title: noteStrings.moved(formatNumber(moved), to.name),
    durationMs: undoMs,
    // Where a note was is known, unless its list is not loaded.
    ...(before.has(undefined) ? {} : { action: { label: commonStrings.undo, run: undo } }),
  });
}

async function move(ids: readonly string[], folderId: string | null): Promise<number> {
  try {
    return await changeMany({ ids, change: { folder_id: folderId }, doing: texts.move });
  } finally {
    void refreshNoteLists();
  }
}
