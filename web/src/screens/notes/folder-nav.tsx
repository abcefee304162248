import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { maxFolderNameLength } from '../../api/limits.ts';
import { createFolder, useFolders } from '../../resources/folders.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import styles from './folders.module.css';
import { folderHref, useNotesPlace } from './place.ts';

const texts = strings.notes;

/** The folders: below "Notes" in the sidebar, and as a row to swipe on phones. */
export function FolderNav({ across = false }: { across?: boolean }) {
  const folders = useFolders();
  const { folderId } = useNotesPlace();
  const [naming, setNaming] = useState(false);
  const entry = (id: string | undefined, name: string) => (
    <li key={id ?? 'all'}>
      <Link className={styles.folder} to={folderHref(id)} aria-current={folderId === id ? 'true' : undefined}>
        <span className="truncate">{name}</span>
      </Link>
    </li>
  );
  return (
    <>
      <ul className={across ? styles.across : styles.down} aria-label={texts.folders}>
        {entry(undefined, texts.all)}
        {folders.data?.map(({ id, name }) => entry(id, name))}
        <li>
          <button type="button" className={styles.add} onClick={() => setNaming(true)}>
            <Icon name="plus" size={16} />
            {texts.newFolder}
          </button>
        </li>
      </ul>
      <NewFolder open={naming} onClose={() => setNaming(false)} />
    </>
  );
}

function NewFolder({ open, onClose }: { open: boolean; onClose(): void }) {
  const [name, setName] = useState('');
  const client = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () => createFolder(client, name),
    onSuccess(folder) {
      close();
      navigate(folderHref(folder.id));
    },
  });
  function close() {
    setName('');
    create.reset();
    onClose();
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title={texts.newFolder}
      onSubmit={create.mutate}
      footer={
        <>
          <Button onClick={close}>{strings.common.cancel}</Button>
          <Button look="primary" type="submit" busy={create.isPending} disabled={name.trim() === ''}>
            {strings.common.create}
          </Button>
        </>
      }
    >
      <TextField
        label={texts.folderName}
        value={name}
        maxLength={maxFolderNameLength}
        onChange={(event) => setName(event.target.value)}
      />
      <ErrorNotice error={create.error} />
    </Dialog>
  );
}
