import { useState } from 'react';
import { useCommands } from '../../lib/commands.ts';
import { noteHref } from '../../lib/note-links.ts';
import { navigate } from '../../lib/router.tsx';
import { useFolders } from '../../resources/folders.ts';
import type { Note } from '../../resources/notes.ts';
import { useHasModel } from '../../resources/session.ts';
import { commonStrings } from '../../strings/common.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { IconButton } from '../../ui/button.tsx';
import { later } from '../../ui/later.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { type Folder, moveNotes, pinNotes } from './change-many.ts';
import { WriteAboutItems } from './language.ts';
import { deleteWithUndo } from './pending-deletes.ts';
import { useNotesPlace } from './place.ts';

const Revisions = later(async () => (await import('./revisions.tsx')).Revisions);
const MoveTo = later(async () => (await import('./move-to.tsx')).MoveTo);

export function NoteActions({ note, text }: { note: Note; text: string }) {
  const { hrefOf, listHref, spaceId } = useNotesPlace();
  const hasFolders = Boolean(useFolders(spaceId).data?.length);
  const [comparing, setComparing] = useState(false);
  const [moving, setMoving] = useState(false);
  const hasModel = useHasModel();
  const move = useAction((to: Folder) => moveNotes([note.id], to));
  const pin = useAction(() => pinNotes([note.id], !note.pinned));

  const link = window.location.origin + noteHref(note.id, { spaceId });

  async function copy(what: string) {
    const { copyText } = await import('../../ui/copy-button.tsx');
    if (await copyText(what)) toast({ title: commonStrings.copied });
  }
  function remove() {
    navigate(listHref);
    void deleteWithUndo([note], () => navigate(hrefOf(note.id)));
  }

  useCommands([
    { label: note.pinned ? texts.unpin : texts.pin, run: () => pin.mutate() },
    { label: texts.copyLink, run: () => copy(link) },
    { label: texts.copyText, run: () => copy(text) },
    { label: texts.revisions.title, run: () => setComparing(true) },
    ...(hasFolders ? [{ label: texts.moveTo, run: () => setMoving(true) }] : []),
    { label: texts.deleteNote, run: remove },
  ]);

  return (
    <>
      <Menu trigger={<IconButton icon="dots" label={texts.actions} />}>
        <MenuItem icon="pin" onSelect={() => pin.mutate()}>
          {note.pinned ? texts.unpin : texts.pin}
        </MenuItem>
        <MenuItem icon="link" onSelect={() => copy(link)}>
          {texts.copyLink}
        </MenuItem>
        <MenuItem icon="copy" onSelect={() => copy(text)}>
          {texts.copyText}
        </MenuItem>
        {hasFolders && (
          <MenuItem icon="folder" onSelect={() => setMoving(true)}>
            {texts.moveTo}
          </MenuItem>
        )}
        <MenuItem icon="history" onSelect={() => setComparing(true)}>
          {texts.revisions.title}
        </MenuItem>
        <MenuItem icon="trash" danger onSelect={remove}>
          {commonStrings.delete}
        </MenuItem>
        {hasModel && <WriteAboutItems noteId={note.id} />}
      </Menu>
      {moving && <MoveTo current={note.folder_id} onMove={move.mutate} onClose={() => setMoving(false)} />}
      {comparing && <Revisions note={note} onClose={() => setComparing(false)} />}
    </>
  );
}
