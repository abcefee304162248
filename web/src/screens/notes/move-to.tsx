import { useState } from 'react';
import { keyOf } from '../../lib/key-of.ts';
import { useFolders } from '../../resources/folders.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import type { Folder } from './change-many.ts';
import styles from './folders.module.css';
import { useNotesPlace } from './place.ts';

interface Props {
  /** Where the note is; undefined for several notes. */
  current?: string | null;
  onMove(to: Folder): void;
  onClose(): void;
}

/** Chooses a folder by a part of its name. Enter takes the first one. */
export function MoveTo({ current, onMove, onClose }: Props) {
  const folders = useFolders(useNotesPlace().spaceId).data ?? [];
  const [typed, setTyped] = useState('');
  const wanted = typed.trim().toLowerCase();
  const all: Folder[] = [{ id: null, name: texts.noFolder }, ...folders];
  const found = all.filter(({ name }) => name.toLowerCase().includes(wanted));
  function take({ id, name }: Folder) {
    onClose();
    onMove({ id, name });
  }
  return (
    <Dialog open onClose={onClose} title={texts.moveTo}>
      <TextField
        type="search"
        label={texts.filterFolders}
        labelHidden
        placeholder={texts.filterFolders}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => keyOf(event) === 'Enter' && wanted !== '' && found[0] && take(found[0])}
      />
      <ul className={styles.targets} aria-label={texts.folders}>
        {found.map((folder) => (
          <li key={folder.id}>
            <Button
              look="quiet"
              icon={folder.id === current ? 'check' : 'folder'}
              aria-current={folder.id === current || undefined}
              onClick={() => take(folder)}
            >
              <span className="truncate">{folder.name}</span>
            </Button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="muted">{texts.noSuchFolder}</p>}
    </Dialog>
  );
}
