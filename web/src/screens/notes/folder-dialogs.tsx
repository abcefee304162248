import { useMutation } from '@tanstack/react-query';
import { maxFolderNameLength } from '../../api/limits.ts';
import { placeHref } from '../../lib/note-links.ts';
import { navigate } from '../../lib/router.tsx';
import { createFolder, deleteFolder, type Folder, renameFolder } from '../../resources/folders.ts';
import { refreshTrash } from '../../resources/trash.ts';
import { commonStrings } from '../../strings/common.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { useNotesPlace } from './place.ts';

interface NameProps<Saved> {
  title: string;
  action?: string;
  name: string;
  save(name: string): Promise<Saved>;
  onSaved?(saved: Saved): void;
  onClose(): void;
}

function NameDialog<Saved>({ name, save, ...rest }: NameProps<Saved>) {
  return (
    <FormDialog {...rest} save={(typed) => save(typed('name'))}>
      <TextField
        name="name"
        label={texts.folderName}
        required
        defaultValue={name}
        maxLength={maxFolderNameLength}
      />
    </FormDialog>
  );
}

export function NewFolder({ onClose }: { onClose(): void }) {
  const { spaceId } = useNotesPlace();
  return (
    <NameDialog
      title={texts.newFolder}
      action={commonStrings.create}
      name=""
      save={(name) => createFolder(name, spaceId)}
      onSaved={({ id }) => navigate(placeHref({ spaceId, folderId: id }))}
      onClose={onClose}
    />
  );
}

export function RenameFolder({ folder, onClose }: { folder: Folder; onClose(): void }) {
  return (
    <NameDialog
      title={texts.renameFolder}
      name={folder.name}
      save={(name) => renameFolder(folder.id, name)}
      onClose={onClose}
    />
  );
}

/** Asks what becomes of the notes in it. */
export function DeleteFolder({ folder, onClose }: { folder: Folder; onClose(): void }) {
  const { spaceId } = useNotesPlace();
  const remove = useMutation({
    mutationFn: (notes: 'keep' | 'trash') => deleteFolder(folder.id, notes),
    onSuccess() {
      void refreshTrash();
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
