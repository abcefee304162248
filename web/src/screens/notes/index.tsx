import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { maxQueryLength } from '../../api/limits.ts';
import { classNames } from '../../lib/class-names.ts';
import { useHotkeys } from '../../lib/hotkeys.ts';
import { useTitle } from '../../lib/use-title.ts';
import { useFolders } from '../../resources/folders.ts';
import { useNoteList } from '../../resources/notes.ts';
import { useSession } from '../../resources/session.ts';
import { strings } from '../../strings.ts';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { FirstNote } from './first-note.tsx';
import { FolderNav } from './folder-nav.tsx';
import { loadKeptDrafts } from './kept-drafts.ts';
import { focusItem, NoteList } from './note-list.tsx';
import { NotePane } from './note-pane.tsx';
import styles from './notes.module.css';
import { saveKeptDrafts } from './open-drafts.ts';
import { useNotesPlace } from './place.ts';

const texts = strings.notes;
/** A search counts as five requests, so it waits until typing pauses. */
const searchPauseMs = 300;

export function Screen() {
  const place = useNotesPlace();
  const folder = useFolders().data?.find(({ id }) => id === place.folderId);
  const heading = folder?.name ?? texts.all;
  const searchRef = useRef<HTMLInputElement>(null);
  const listRef = useRef<HTMLUListElement>(null);
  const query = usePaused(place.query.trim(), searchPauseMs);
  const ready = useKeptText();
  const isFirst = useNoteList(undefined, query === '').data?.pages[0]?.data.length === 0;
  useTitle(folder?.name ?? texts.title);

  useHotkeys({
    '/': () => searchRef.current?.focus(),
    n: place.openNew,
    ArrowDown: () => focusItem(listRef.current, 1),
    ArrowUp: () => focusItem(listRef.current, -1),
    Escape: () => (place.query === '' ? place.openList() : place.search('')),
  });

  return (
    <div className={classNames(styles.screen, place.id !== undefined && styles.reading)}>
      <section className={styles.listPane} aria-label={texts.noteList}>
        <header className={styles.listHead}>
          <h1 className="truncate">{heading}</h1>
          <IconButton icon="plus" label={texts.newNote} onClick={place.openNew} aria-keyshortcuts="n" />
        </header>
        <search className={styles.search}>
          <Icon name="search" />
          <input
            ref={searchRef}
            type="search"
            className="input"
            dir="auto"
            aria-label={folder ? texts.searchFolder(folder.name) : texts.searchPlaceholder}
            aria-keyshortcuts="/"
            placeholder={folder ? texts.searchFolder(folder.name) : texts.searchPlaceholder}
            maxLength={maxQueryLength}
            value={place.query}
            onChange={(event) => place.search(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Escape') {
                place.search('');
                event.currentTarget.blur();
              }
              if (event.key === 'ArrowDown' || event.key === 'Enter') {
                event.preventDefault();
                focusItem(listRef.current, 0);
              }
            }}
          />
          {place.query === '' && <span aria-hidden="true">/</span>}
        </search>
        <FolderNav across />
        <div className={styles.listBody}>
          <NoteList query={query} listRef={listRef} />
        </div>
      </section>
      <section className={styles.notePane} aria-label={texts.note}>
        {place.id === undefined ? (
          <div className="center">
            {isFirst ? <FirstNote onWrite={place.openNew} /> : <EmptyState {...texts.noneOpen} />}
          </div>
        ) : (
          ready && <NotePane id={place.id} query={query} />
        )}
      </section>
    </div>
  );
}

/** Reads the text that an earlier visit could not save, and saves it. True once it is read. */
function useKeptText(): boolean {
  const client = useQueryClient();
  const userId = useSession().data?.user_id;
  const [ready, setReady] = useState(false);
  useEffect(() => {
    if (userId === undefined) return;
    const save = () => saveKeptDrafts(client, userId);
    loadKeptDrafts(userId).then(() => {
      setReady(true);
      return save();
    });
    window.addEventListener('online', save);
    return () => window.removeEventListener('online', save);
  }, [client, userId]);
  return ready;
}

function usePaused(value: string, pauseMs: number): string {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), value === '' ? 0 : pauseMs);
    return () => clearTimeout(timer);
  }, [value, pauseMs]);
  return paused;
}
