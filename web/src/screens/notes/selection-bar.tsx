import { useState } from 'react';
import { keysOf } from '../../lib/command-table.ts';
import { formatNumber } from '../../lib/format.ts';
import { listedNotes, useNoteList } from '../../resources/note-list.ts';
import { commonStrings } from '../../strings/common.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { IconButton } from '../../ui/button.tsx';
import { later } from '../../ui/later.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { useAction } from '../../ui/use-action.ts';
import { type Folder, moveNotes, pinNotes } from './change-many.ts';
import { MoveTo } from './move-to.tsx';
import { useNoteSort } from './note-sort.ts';
import styles from './notes.module.css';
import { deleteWithUndo } from './pending-deletes.ts';
import { useNotesPlace } from './place.ts';
import { stopSelecting, useSelection } from './selection.ts';

const TagMany = later(async () => (await import('./tag-dialogs.tsx')).TagMany);

/** What can be done with the chosen notes. */
export function SelectionBar({ onAll }: { onAll(): void }) {
  const { spaceId, folderId, tagId, query } = useNotesPlace();
  const [moving, setMoving] = useState(false);
  const [tagging, setTagging] = useState(false);
  const list = useNoteList({ spaceId, folderId, tagId, sort: useNoteSort() }, query === '');
  const ids = [...(useSelection() ?? [])];
  const move = useAction((to: Folder) => moveNotes(ids, to), stopSelecting);
  const pin = useAction((pinned: boolean) => pinNotes(ids, pinned), stopSelecting);
  function remove() {
    const titles = new Map(listedNotes(new Set(ids)).map(({ note }) => [note.id, note.title]));
    void deleteWithUndo(ids.map((id) => ({ id, title: titles.get(id) ?? null })));
    stopSelecting();
  }
  const disabled = ids.length === 0 || move.isPending || pin.isPending;
  return (
    <div className={styles.selectionBar} role="toolbar" aria-label={texts.selection}>
      <IconButton icon="close" label={texts.stopSelecting} onClick={stopSelecting} />
      <span className={styles.selected} role="status">
        {texts.selected(formatNumber(ids.length))}
      </span>
      <IconButton
        icon="check"
        label={
          list.hasMore ? texts.selectLoaded(formatNumber(list.data?.notes.length ?? 0)) : texts.selectAll
        }
        aria-keyshortcuts={keysOf('selectAll')}
        onClick={onAll}
      />
      <Menu trigger={<IconButton icon="pin" label={texts.pin} disabled={disabled} />}>
        <MenuItem icon="pin" onSelect={() => pin.mutate(true)}>
          {texts.pin}
        </MenuItem>
        <MenuItem icon="close" onSelect={() => pin.mutate(false)}>
          {texts.unpin}
        </MenuItem>
      </Menu>
      <IconButton
        icon="folder"
        label={texts.moveTo}
        aria-haspopup="dialog"
        disabled={disabled}
        onClick={() => setMoving(true)}
      />
      <IconButton
        icon="tag"
        label={texts.tags.tagMany}
        aria-haspopup="dialog"
        disabled={disabled}
        onClick={() => setTagging(true)}
      />
      <IconButton icon="trash" label={commonStrings.delete} disabled={disabled} onClick={remove} />
      {tagging && <TagMany ids={ids} onClose={() => setTagging(false)} />}
      {moving && <MoveTo onMove={move.mutate} onClose={() => setMoving(false)} />}
    </div>
  );
}
