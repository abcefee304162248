import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { type Command, type CommandId, commands, shownKeys } from '../lib/command-table.ts';
import { useOfferedCommands } from '../lib/commands.ts';
import { forPointer } from '../lib/for-pointer.ts';
import { formatDuration } from '../lib/format.ts';
import { keyOf } from '../lib/key-of.ts';
import { placeHref } from '../lib/note-links.ts';
import { navigate, useSearchParams } from '../lib/router.tsx';
import { usePaused } from '../lib/use-paused.ts';
import { useFolders } from '../resources/folders.ts';
import { matchOf, useNoteSearch } from '../resources/note-search.ts';
import { useHasModel, useIsOperator } from '../resources/session.ts';
import { useSharedSpaces } from '../resources/spaces.ts';
import { useTags } from '../resources/tags.ts';
import { paletteStrings as texts } from '../strings/frame.ts';
import { noteStrings } from '../strings/notes.ts';
import { tagStrings } from '../strings/tags.ts';
import { Icon, type IconName } from '../ui/icon.tsx';
import { Status } from '../ui/status.tsx';
import styles from './palette.module.css';
import { openScreens } from './screens.tsx';

/** A search counts as five requests, so it waits until typing pauses. */
const searchPauseMs = 250;
const maxNotes = 8;
/** Before anything is typed, a list of everything would not help. */
const maxUnasked = 12;

const icons: Partial<Record<CommandId, IconName>> = { record: 'mic', newNote: 'plus', help: 'info' };
const hasKeys = forPointer({ mouse: true, finger: false });

interface Entry {
  key: string;
  label: string;
  /** The kind of entry, if the icon does not show it, or its keys. */
  hint?: string;
  icon: IconName;
  run(): void;
}

interface Props {
  /** What was typed while its code was loading. */
  typedBefore: RefObject<string>;
  onClose(): void;
}

/** Finds everything by a part of its name: notes, screens, folders, tags, spaces and commands. */
export function Palette({ typedBefore, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const entries = useEntries(typed.trim());
  const active = Math.min(at, entries.length - 1);
  useEffect(() => {
    // Not earlier: React may show it up to 300 ms after rendering it.
    setTyped(typedBefore.current);
    dialog.current?.showModal();
  }, [typedBefore]);
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);

  function choose(entry: Entry | undefined) {
    if (!entry) return;
    // Behind an open dialog, nothing takes the focus.
    flushSync(onClose);
    entry.run();
  }
  function steer(event: KeyboardEvent) {
    const key = keyOf(event);
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setAt((active + step + entries.length) % Math.max(1, entries.length));
    else if (key === 'Enter') choose(entries[active]);
    else return;
    event.preventDefault();
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is on the backdrop; Esc does the same
    <dialog
      ref={dialog}
      className={`dialog ${styles.palette}`}
      aria-label={texts.title}
      onClose={onClose}
      onClick={(event) => event.target === event.currentTarget && onClose()}
    >
      <div className={styles.search}>
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={entries.length > 0 ? `${id}-${active}` : undefined}
          aria-label={texts.title}
          placeholder={texts.placeholder}
          dir="auto"
          autoComplete="off"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setAt(0);
          }}
          onKeyDown={steer}
        />
      </div>
      <div className={styles.list} role="listbox" id={`${id}-list`} aria-label={texts.results}>
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and takes the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field above has the focus and takes the keys
          <div
            key={entry.key}
            id={`${id}-${index}`}
            className={styles.entry}
            role="option"
            aria-selected={index === active}
            onClick={() => choose(entry)}
            onPointerMove={() => setAt(index)}
          >
            <Icon name={entry.icon} />
            <span className="truncate" dir="auto">
              {entry.label}
            </span>
            {entry.hint && <span className={`truncate ${styles.hint}`}>{entry.hint}</span>}
          </div>
        ))}
      </div>
      <Status className={styles.foot}>{entries.length === 0 ? texts.nothing : texts.how}</Status>
    </dialog>
  );
}

function useEntries(query: string): Entry[] {
  const offered = useOfferedCommands().flatMap(({ id, label, run }): Entry[] => {
    const command: Command | null = id && commands[id];
    if (command?.isKeyOnly || (id === 'help' && !hasKeys)) return [];
    const hint = command && hasKeys ? { hint: shownKeys(command) } : {};
    return [{ key: `do ${label}`, label, icon: (id && icons[id]) ?? 'next', run, ...hint }];
  });
  const folders = useFolders().data ?? [];
  const spaceId = useSearchParams()[0].get('space') ?? undefined;
  const tags = useTags(spaceId).data ?? [];
  const workspaces = useSharedSpaces();
  const asked = usePaused(query.length < 2 ? '' : query, searchPauseMs);
  const found = useNoteSearch(asked, { spaceId: undefined, folderId: undefined });

  const go = (label: string, icon: IconName, to: string, hint?: string): Entry => ({
    key: `${to} ${hint ?? ''}`,
    label,
    icon,
    run: () => navigate(to),
    ...(hint ? { hint } : {}),
  });
  const all: Entry[] = [
    ...offered,
    ...openScreens({ hasModel: useHasModel(), isOperator: useIsOperator() }).map(({ label, icon, href }) =>
      go(label, icon, href),
    ),
    go(noteStrings.trash, 'trash', '/notes?trash=1'),
    ...workspaces.flatMap(({ name, spaces }) =>
      spaces.map((space) => go(space.name, 'team', `/notes?space=${space.id}`, name)),
    ),
    ...folders.map(({ id, name }) => go(name, 'folder', `/notes?folder=${id}`, noteStrings.folder)),
    ...tags.map(({ id, name }) => go(tagStrings.filterBy(name), 'tag', placeHref({ spaceId, tagId: id }))),
  ];
  if (query === '') return all.slice(0, Math.max(maxUnasked, offered.length + 1));
  const named = all.filter(({ label }) => label.toLowerCase().includes(query.toLowerCase()));
  const notes = (asked === '' ? [] : (found.data?.data ?? [])).slice(0, maxNotes);
  return [
    ...named,
    ...notes.map((note) => {
      const { at } = matchOf(note);
      const label = note.title || noteStrings.untitled;
      if (at === undefined) return go(label, 'note', `/notes/${note.id}`);
      return go(label, 'wave', `/notes/${note.id}?at=${at}`, formatDuration(Math.floor(at) * 1000));
    }),
  ];
}
