import type { QueryClient } from '@tanstack/react-query';
import { holdInTab, isFreeInTabs } from '../../lib/tab-locks.ts';
import { type Note, showSaved } from '../../resources/notes.ts';
import { NoteDraft } from './draft.ts';
import { keptDrafts, loadKeptDrafts } from './kept-drafts.ts';

interface OpenDraft {
  draft: NoteDraft;
  /** Lets other tabs have it. */
  release(): void;
}

/** The drafts that this page works on. A note has one draft, so that no two of them save the same text. */
const openDrafts = new Map<string, OpenDraft>();

interface Options {
  /** The id of the note; for a new note a random one. */
  id: string;
  note?: Note | undefined;
  folderId?: string | undefined;
  spaceId?: string | undefined;
}

export function openDraft(client: QueryClient, { id, note, folderId, spaceId }: Options): NoteDraft {
  const open = openDrafts.get(id);
  if (open) return open.draft;
  const draft = new NoteDraft({
    id,
    note,
    folderId,
    spaceId,
    onSaved(saved, isNew) {
      const known = openDrafts.get(id);
      if (isNew && known) openDrafts.set(saved.id, known);
      showSaved(client, saved, isNew);
    },
  });
  openDrafts.set(id, { draft, release: holdInTab(id) });
  return draft;
}

/** When its editor closes. A draft that cannot be saved now keeps trying. */
export async function closeDraft(draft: NoteDraft): Promise<void> {
  await draft.save();
  if (!['saved', 'empty'].includes(draft.shown.get().state)) return;
  for (const [id, open] of openDrafts)
    if (open.draft === draft) {
      openDrafts.delete(id);
      open.release();
    }
}

/**
 * Saves what an earlier visit left behind, except what another tab has open. A draft in conflict with the server waits until
 * someone opens its note.
 */
export async function saveKeptDrafts(client: QueryClient, userId: string): Promise<void> {
  await loadKeptDrafts(userId);
  for (const id of keptDrafts.get().keys())
    if (!openDrafts.has(id) && (await isFreeInTabs(id))) await closeDraft(openDraft(client, { id }));
}
