import { useMutation, useQueryClient } from '@tanstack/react-query';
import { formatNumber } from '../../lib/format.ts';
import { useFolders } from '../../resources/folders.ts';
import { commonStrings } from '../../strings/common.ts';
import { noteStrings } from '../../strings/notes.ts';
import { IconButton } from '../../ui/button.tsx';
import { Menu, MenuItem } from '../../ui/menu.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { moveNotes, pinNotes } from './change-many.ts';
import styles from './notes.module.css';
import { deleteWithUndo } from './pending-deletes.ts';
import { useNotesPlace } from './place.ts';
import { stopSelecting, useSelection } from './selection.ts';

const texts = noteStrings;

/** What can be done with the chosen notes. */
export function SelectionBar() {
  const client = useQueryClient();
  const { spaceId } = useNotesPlace();
  const folders = useFolders(spaceId).data ?? [];
  const ids = [...(useSelection() ?? [])];
  const done = (title?: string) => {
    stopSelecting();
    if (title) toast({ title });
  };
  const move = useMutation({
    mutationFn: (to: string | null) => moveNotes(client, ids, to),
    onSuccess: (count) => done(texts.moved(formatNumber(count))),
    onError: toastError,
  });
  const pin = useMutation({
    mutationFn: (pinned: boolean) => pinNotes(client, ids, pinned),
    onSuccess: () => done(),
    onError: toastError,
  });
  function remove() {
    void deleteWithUndo(
      client,
      ids.map((id) => ({ id, title: null })),
    );
    stopSelecting();
  }
  const disabled = ids.length === 0 || move.isPending || pin.isPending;
  return (
    <div className={styles.selectionBar} role="toolbar" aria-label={texts.selection}>
      <IconButton icon="close" label={texts.stopSelecting} onClick={stopSelecting} />
      <span className={styles.selected} role="status">
        {texts.selected(formatNumber(ids.length))}
      </span>
      <Menu trigger={<IconButton icon="pin" label={texts.pin} disabled={disabled} />}>
        <MenuItem icon="pin" onSelect={() => pin.mutate(true)}>
          {texts.pin}
        </MenuItem>
        <MenuItem icon="close" onSelect={() => pin.mutate(false)}>
          {texts.unpin}
        </MenuItem>
      </Menu>
      <Menu trigger={<IconButton icon="folder" label={texts.move} disabled={disabled} />}>
        <MenuItem icon="note" onSelect={() => move.mutate(null)}>
          {texts.noFolder}
        </MenuItem>
        {folders.map(({ id, name }) => (
          <MenuItem key={id} icon="folder" onSelect={() => move.mutate(id)}>
            <span className="truncate">{name}</span>
          </MenuItem>
        ))}
      </Menu>
      <IconButton icon="trash" label={commonStrings.delete} disabled={disabled} onClick={remove} />
    </div>
  );
}
