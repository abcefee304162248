import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { keyOf } from '../../lib/key-of.ts';
import { placeHref } from '../../lib/note-links.ts';
import { Link, navigate } from '../../lib/router.tsx';
import { useFolders } from '../../resources/folders.ts';
import { useSharedSpaces } from '../../resources/spaces.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { Icon } from '../../ui/icon.tsx';
import { later } from '../../ui/later.tsx';
import { useAction } from '../../ui/use-action.ts';
import { type Folder, moveNotes } from './change-many.ts';
import { takesNotes } from './dragged-notes.ts';
import styles from './folders.module.css';
import { useNotesPlace } from './place.ts';
import { stopSelecting } from './selection.ts';

const NewFolder = later(async () => (await import('./folder-dialogs.tsx')).NewFolder);

/** Up to this many folders are shown at once; more are easier to find by name. */
const fewFolders = 8;

/** The folders: below "Notes" in the sidebar, and as a row to swipe on phones. Notes can be dropped on them. */
export function FolderNav({ across = false }: { across?: boolean }) {
  const { spaceId, folderId, inTrash } = useNotesPlace();
  const folders = useFolders(spaceId).data ?? [];
  const workspaces = useSharedSpaces();
  const [naming, setNaming] = useState(false);
  const [filter, setFilter] = useState('');
  const move = useAction(({ ids, to }: { ids: string[]; to: Folder }) => moveNotes(ids, to), stopSelecting);
  const list = useRef<HTMLUListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: swiped to the place when it is another, or just there
  useEffect(() => {
    const open = list.current?.querySelector('[aria-current]');
    if (open) bringIntoSight(open, across ? list.current : open.closest('ul'));
  }, [spaceId, folderId, inTrash, folders.length, workspaces.length]);
  const isMany = folders.length > fewFolders;
  const wanted = isMany ? filter.trim().toLowerCase() : '';
  const shown = folders.filter(({ name }) => name.toLowerCase().includes(wanted));
  const isShown = inTrash || folderId === undefined || shown.some(({ id }) => id === folderId);
  const isOpen = (id: string | undefined) => folderId === id && !inTrash;
  const entry = (id: string | undefined, name: string) => (
    <li key={id ?? 'all'}>
      <Link
        className={styles.folder}
        to={placeHref({ spaceId, folderId: id })}
        aria-current={isOpen(id) ? 'true' : undefined}
        tabIndex={isOpen(id) || (!isShown && id === undefined) ? 0 : -1}
        {...takesNotes((ids) =>
          move.mutate({ ids, to: id ? { id, name } : { id: null, name: texts.noFolder } }),
        )}
      >
        <span className="truncate">{name}</span>
      </Link>
    </li>
  );
  return (
    <>
      <ul
        ref={list}
        className={across ? styles.across : styles.down}
        aria-label={texts.places}
        onKeyDown={moveByArrow}
      >
        <SpaceSwitch />
        {entry(undefined, texts.all)}
        {isMany && (
          <li className={styles.filter}>
            <input
              type="search"
              className="input"
              aria-label={texts.filterFolders}
              placeholder={texts.filterFolders}
              value={filter}
              onChange={(event) => setFilter(event.target.value)}
              onKeyDown={(event) => keyOf(event) === 'Escape' && setFilter('')}
            />
          </li>
        )}
        {shown.length > 0 && (
          <li className={styles.many}>
            <ul aria-label={texts.folders}>{shown.map(({ id, name }) => entry(id, name))}</ul>
          </li>
        )}
        {shown.length === 0 && wanted !== '' && <li className={styles.none}>{texts.noSuchFolder}</li>}
        <li>
          <button type="button" className={styles.add} onClick={() => setNaming(true)}>
            <Icon name="plus" size={16} />
            {texts.newFolder}
          </button>
        </li>
        <li>
          <Link
            className={styles.folder}
            to={placeHref({ spaceId, inTrash: true })}
            aria-current={inTrash ? 'true' : undefined}
            tabIndex={inTrash ? 0 : -1}
          >
            <Icon name="trash" size={16} />
            {texts.trash}
          </Link>
        </li>
      </ul>
      {naming && <NewFolder onClose={() => setNaming(false)} />}
    </>
  );
}

/** `scrollIntoView` would do, but in Chrome the next Tab then begins there, far from "Skip to content". */
function bringIntoSight(place: Element, scrolled: Element | null): void {
  if (!scrolled) return;
  const inner = place.getBoundingClientRect();
  const outer = scrolled.getBoundingClientRect();
  // A bit of its neighbour shows that there are more.
  const margin = 16;
  scrolled.scrollBy({
    left: Math.min(0, inner.left - margin - outer.left) + Math.max(0, inner.right + margin - outer.right),
    top: Math.min(0, inner.top - margin - outer.top) + Math.max(0, inner.bottom + margin - outer.bottom),
  });
}

/** The places are one tab stop, the open one; arrows go to the others. */
function moveByArrow(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[keyOf(event)];
  const places = [...event.currentTarget.querySelectorAll('a')];
  const from = places.findIndex((place) => place.matches(':focus'));
  if (step === undefined || from === -1) return;
  event.preventDefault();
  places[from + step]?.focus();
}

/** Switches between the person's own notes and the notes of spaces. Not shown without a workspace. */
function SpaceSwitch() {
  const { spaceId } = useNotesPlace();
  const workspaces = useSharedSpaces();
  if (workspaces.length === 0) return null;
  return (
    <li className={styles.switch}>
      <select
        className="input select"
        aria-label={texts.whose}
        value={spaceId ?? ''}
        onChange={(event) => navigate(placeHref({ spaceId: event.target.value || undefined }))}
      >
        <option value="">{texts.mine}</option>
        {workspaces.map((workspace) => (
          <optgroup key={workspace.id} label={workspace.name}>
            {workspace.spaces.map(({ id, emoji, name }) => (
              <option key={id} value={id}>
                {emoji ? `${emoji} ${name}` : name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
    </li>
  );
}
