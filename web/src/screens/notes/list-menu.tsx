import { useState } from 'react';
import { useCommands } from '../../lib/commands.ts';
import type { Folder } from '../../resources/folders.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { IconButton } from '../../ui/button.tsx';
import { later } from '../../ui/later.tsx';
import { Menu, MenuChoice, MenuItem, MenuLine } from '../../ui/menu.tsx';
import { sortNotesBy, useNoteSort } from './note-sort.ts';
import { startSelecting } from './selection.ts';

const dialogs = () => import('./folder-dialogs.tsx');
const RenameFolder = later(async () => (await dialogs()).RenameFolder);
const DeleteFolder = later(async () => (await dialogs()).DeleteFolder);

const Tags = later(async () => (await import('./tag-dialogs.tsx')).Tags);

/** What can be done with the list, and with its folder. */
export function ListMenu({ folder }: { folder: Folder | undefined }) {
  const sort = useNoteSort();
  const [changing, setChanging] = useState<'name' | 'delete' | 'tags'>();
  const close = () => setChanging(undefined);
  useCommands([
    { label: texts.select, run: () => startSelecting() },
    { label: texts.tags.manage, run: () => setChanging('tags') },
    sort === 'created'
      ? { label: `${texts.sort}: ${texts.sorts.updated}`, run: () => sortNotesBy('updated') }
      : { label: `${texts.sort}: ${texts.sorts.created}`, run: () => sortNotesBy('created') },
    ...(folder
      ? [
          { label: texts.renameFolder, run: () => setChanging('name') },
          { label: texts.deleteFolder, run: () => setChanging('delete') },
        ]
      : []),
  ]);
  return (
    <>
      <Menu trigger={<IconButton icon="dots" label={texts.listActions} />}>
        <MenuItem icon="check" onSelect={() => startSelecting()}>
          {texts.select}
        </MenuItem>
        <MenuItem icon="tag" onSelect={() => setChanging('tags')}>
          {texts.tags.manage}
        </MenuItem>
        <MenuLine />
        <MenuChoice
          label={texts.sort}
          value={sort}
          onChange={(chosen) => sortNotesBy(chosen === 'updated' ? 'updated' : 'created')}
          choices={[
            { value: 'created', label: texts.sorts.created, icon: 'note' },
            { value: 'updated', label: texts.sorts.updated, icon: 'edit' },
          ]}
        />
        {folder && (
          <>
            <MenuLine />
            <MenuItem icon="edit" onSelect={() => setChanging('name')}>
              {texts.renameFolder}
            </MenuItem>
            <MenuItem icon="trash" danger onSelect={() => setChanging('delete')}>
              {texts.deleteFolder}
            </MenuItem>
          </>
        )}
      </Menu>
      {changing === 'tags' && <Tags onClose={close} />}
      {folder && changing === 'name' && <RenameFolder folder={folder} onClose={close} />}
      {folder && changing === 'delete' && <DeleteFolder folder={folder} onClose={close} />}
    </>
  );
}
