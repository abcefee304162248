import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { maxFolderNameLength } from '../../api/limits.ts';
import { placeHref } from '../../lib/note-links.ts';
import { createFolder, deleteFolder, type Folder, renameFolder } from '../../resources/folders.ts';
import { refreshTrash } from '../../resources/trash.ts';
import { commonStrings } from '../../strings/common.ts';
import { noteStrings } from '../../strings/notes.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { useNotesPlace } from './place.ts';

const texts = noteStrings;

interface NameProps {
  title: string;
  action: string;
  name: string;
  save(name: string): Promise<void>;
  onClose(): void;
}

function NameDialog({ title, action, name, save, onClose }: NameProps) {
  const [typed, setTyped] = useState(name);
  const saving = useMutation({ mutationFn: () => save(typed), onSuccess: onClose });
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      onSubmit={() => saving.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{commonStrings.cancel}</Button>
          <Button look="primary" type="submit" busy={saving.isPending} disabled={typed.trim() === ''}>
            {action}
          </Button>
        </>
      }
    >
      <TextField
        label={texts.folderName}
        value={typed}
        maxLength={maxFolderNameLength}
        onChange={(event) => setTyped(event.target.value)}
      />
      <ErrorNotice error={saving.error} />
    </Dialog>
  );
}

export function NewFolder({ onClose }: { onClose(): void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { spaceId } = useNotesPlace();
  async function create(name: string) {
    const folder = await createFolder(client, name, spaceId);
    navigate(placeHref({ spaceId, folderId: folder.id }));
  }
  return (
    <NameDialog
      title={texts.newFolder}
      action={commonStrings.create}
      name=""
      save={create}
      onClose={onClose}
    />
  );
}

export function RenameFolder({ folder, onClose }: { folder: Folder; onClose(): void }) {
  const client = useQueryClient();
  return (
    <NameDialog
      title={texts.renameFolder}
      action={commonStrings.save}
      name={folder.name}
      save={(name) => renameFolder(client, folder.id, name)}
      onClose={onClose}
    />
  );
}

/** Asks what becomes of the notes in it. */
export function DeleteFolder({ folder, onClose }: { folder: Folder; onClose(): void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { spaceId } = useNotesPlace();
  const remove = useMutation({
    mutationFn: (notes: 'keep' | 'trash') => deleteFolder(client, folder.id, notes),
    onSuccess() {
      void refreshTrash(client);
      onClose();
      toast({ title: texts.folderDeleted(folder.name) });
      // Unless they went elsewhere meanwhile.
      const { search } = window.location;
      if (new URLSearchParams(search).get('folder') === folder.id) navigate(placeHref({ spaceId }));
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={texts.deleteFolderTitle(folder.name)}
      description={texts.deleteFolderDetail}
      footer={
        <>
          <Button onClick={onClose}>{commonStrings.cancel}</Button>
          <Button look="danger" disabled={remove.isPending} onClick={() => remove.mutate('trash')}>
            {texts.deleteFolderAndNotes}
          </Button>
          <Button look="primary" disabled={remove.isPending} onClick={() => remove.mutate('keep')}>
            {texts.deleteFolderOnly}
          </Button>
        </>
      }
    >
      {remove.error && <ErrorNotice error={remove.error} />}
    </Dialog>
  );
}
