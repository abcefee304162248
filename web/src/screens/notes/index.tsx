import { useEffect, useRef, useState } from 'react';
import { maxQueryLength } from '../../api/limits.ts';
import { classNames } from '../../lib/class-names.ts';
import { keysOf } from '../../lib/command-table.ts';
import { useCommands } from '../../lib/commands.ts';
import { keyOf } from '../../lib/key-of.ts';
import { usePaused } from '../../lib/use-paused.ts';
import { useTitle } from '../../lib/use-title.ts';
import { useDocuments } from '../../notes/use-documents.tsx';
import { destination, roomForWords, useRecorder } from '../../recorder/state.ts';
import { wantsFirstSteps } from '../../resources/first-steps-over.ts';
import { type Folder, useFolders } from '../../resources/folders.ts';
import { useNoteList } from '../../resources/note-list.ts';
import { useSession } from '../../resources/session.ts';
import { type Space, useSharedSpaces } from '../../resources/spaces.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { later } from '../../ui/later.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { FirstNote } from './first-note.tsx';
import { FolderNav } from './folder-nav.tsx';
import { ListMenu } from './list-menu.tsx';
import { ListSkeleton, NoteList } from './note-list.tsx';
import { NotePane } from './note-pane.tsx';
import { useNoteSort } from './note-sort.ts';
import styles from './notes.module.css';
import { useNotesPlace } from './place.ts';
import { loadMarkdown } from './reading.tsx';
import { startSelecting, stopSelecting, toggleSelected, useSelection } from './selection.ts';
import { prepareTextField } from './text-field.tsx';
import type { ListHandle } from './use-rows.ts';
import { loadVoice } from './voice.tsx';

const SearchFilters = later(async () => (await import('./search-filters.tsx')).SearchFilters);
const TagFilter = later(async () => (await import('./tag-filter.tsx')).TagFilter);
const FirstSteps = later(async () => (await import('./first-steps.tsx')).FirstSteps);
const SelectionBar = later(async () => (await import('./selection-bar.tsx')).SelectionBar);
const trash = () => import('./trash.tsx');
const EmptyTrash = later(async () => (await trash()).EmptyTrash);
const TrashList = later(async () => (await trash()).TrashList, <ListSkeleton />);
const TrashedNotePane = later(async () => (await trash()).TrashedNotePane);
/** A search counts as five requests, so it waits until typing pauses. */
const searchPauseMs = 300;
const editorAfterMs = 2_000;

export function Screen() {
  const place = useNotesPlace();
  const folder = useFolders(place.spaceId).data?.find(({ id }) => id === place.folderId);
  const space = useSharedSpaces()
    .flatMap(({ spaces }) => spaces)
    .find(({ id }) => id === place.spaceId);
  const heading = place.inTrash ? texts.trash : (folder?.name ?? space?.name ?? texts.all);
  useDestination(space, folder);
  const { step } = useRecorder();
  const isRecording = step === 'recording' || step === 'finishing';
  const selecting = useSelection() !== undefined;
  const searchRef = useRef<HTMLInputElement>(null);
  const list = useRef<ListHandle>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const filterButton = useRef<HTMLButtonElement>(null);
  const [showsFilters, setFiltering] = useState(place.isFiltered);
  const query = usePaused(place.query.trim(), searchPauseMs);
  const ready = useKeptText();
  const sort = useNoteSort();
  const { spaceId, folderId, tagId, inTrash } = place;
  const all = useNoteList({ spaceId, folderId, sort }, query === '' && !inTrash && !folderId && !tagId);
  const userId = useSession().data?.user_id ?? '';
  const isAll = !spaceId && !folderId && !tagId && !inTrash && query === '';
  const isFirst = !folderId && all.data?.notes.length === 0;
  useTitle(place.inTrash ? texts.trash : (folder?.name ?? texts.title));
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was chosen in one list is not in another
  useEffect(() => stopSelecting, [spaceId, folderId, tagId, inTrash]);

  // Fetched when the list is there, so that it does not delay the first page.
  useEffect(() => {
    const timer = setTimeout(() => {
      void loadMarkdown();
      void prepareTextField();
      void loadVoice();
    }, editorAfterMs);
    return () => clearTimeout(timer);
  }, []);

  useCommands([
    { id: 'newNote', run: place.openNew },
    { id: 'search', label: texts.searchPlaceholder, run: () => searchRef.current?.focus() },
    { id: 'down', run: () => list.current?.move(1) },
    { id: 'up', run: () => list.current?.move(-1) },
    { id: 'select', run: () => choose(list.current?.focused() ?? place.id, selecting) },
    { id: 'selectAll', run: selectAll },
    { id: 'leave', run: leave },
  ]);
  function selectAll() {
    startSelecting(list.current?.all());
  }
  function leave() {
    if (selecting) return stopSelecting();
    if (place.query !== '') return place.search('');
    // The keys of the list work as soon as the note is left.
    list.current?.move(0);
    place.openList();
  }

  return (
    <div
      className={classNames(styles.screen, place.id !== undefined && styles.reading)}
      data-scope={place.id === undefined ? undefined : 'notes'}
    >
      <section className={styles.listPane} aria-label={texts.noteList} data-scope="list">
        <header className={styles.listHead}>
          <h1 className="truncate">{heading}</h1>
          <span className={styles.listActions}>
            {place.inTrash ? (
              <EmptyTrash />
            ) : (
              <>
                <IconButton
                  className={styles.newNote}
                  icon="plus"
                  label={texts.newNote}
                  onClick={place.openNew}
                  aria-keyshortcuts={keysOf('newNote')}
                />
                <ListMenu folder={folder} />
              </>
            )}
          </span>
        </header>
        {!place.inTrash && (
          <search className={styles.search}>
            <Icon name="search" />
            <input
              ref={searchRef}
              type="search"
              className="input"
              dir="auto"
              aria-label={folder ? texts.searchFolder(folder.name) : texts.searchPlaceholder}
              aria-keyshortcuts={keysOf('search')}
              placeholder={folder ? texts.searchFolder(folder.name) : texts.searchPlaceholder}
              maxLength={maxQueryLength}
              value={place.query}
              onChange={(event) => place.search(event.target.value)}
              onKeyDown={(event) => {
                const key = keyOf(event);
                if (key === 'Escape') {
                  place.search('');
                  event.currentTarget.blur();
                }
                if (key === 'ArrowDown' || key === 'Enter') {
                  event.preventDefault();
                  list.current?.move(0);
                }
              }}
            />
            <IconButton
              ref={filterButton}
              icon="sliders"
              label={texts.filters.show}
              aria-expanded={showsFilters}
              aria-controls={showsFilters ? 'search-filters' : undefined}
              data-on={place.isFiltered || tagId || undefined}
              onClick={() => setFiltering(!showsFilters)}
            />
            {showsFilters && (
              <SearchFilters
                id="search-filters"
                onClose={() => {
                  setFiltering(false);
                  filterButton.current?.focus();
                }}
              />
            )}
          </search>
        )}
        <FolderNav across />
        {tagId && !inTrash && <TagFilter id={tagId} />}
        {selecting && <SelectionBar onAll={selectAll} />}
        <div className={styles.listBody} ref={scroller}>
          {isAll && all.data && wantsFirstSteps(userId) && (
            <FirstSteps userId={userId} notes={all.data.notes} onWrite={place.openNew} />
          )}
          {inTrash ? <TrashList /> : <NoteList query={query} scroller={scroller} handle={list} />}
        </div>
      </section>
      <section className={styles.notePane} aria-label={texts.note}>
        {place.id === undefined && isRecording ? (
          <RoomForWords />
        ) : place.id === undefined ? (
          <div className="center">
            {isFirst ? (
              <FirstNote inSpace={spaceId !== undefined} onWrite={place.openNew} />
            ) : (
              <EmptyState {...texts.noneOpen} {...(inTrash ? { detail: texts.emptyTrash.detail } : {})} />
            )}
          </div>
        ) : (
          ready &&
          (place.inTrash ? <TrashedNotePane id={place.id} /> : <NotePane id={place.id} query={query} />)
        )}
      </section>
    </div>
  );
}

/** While no note is open, the words of a recording fill its place. */
function RoomForWords() {
  const room = useRef<HTMLDivElement>(null);
  useEffect(() => {
    roomForWords.set(room.current?.checkVisibility() ? room.current : null);
    return () => roomForWords.set(undefined);
  }, []);
  return <div className={styles.room} ref={room} />;
}

/** What is recorded here goes where a new note would go. */
function useDestination(space: Space | undefined, folder: Folder | undefined): void {
  const [spaceId, folderId] = [space?.id, folder?.id];
  const name = [space?.name, folder?.name].filter(Boolean).join(', ');
  useEffect(() => {
    if (name === '') return;
    destination.set({ name, ...(spaceId ? { spaceId } : {}), ...(folderId ? { folderId } : {}) });
    return () => destination.set(undefined);
  }, [spaceId, folderId, name]);
}

/** `x` chooses the note that has the focus or is open. */
function choose(id: string | undefined, selecting: boolean): void {
  if (id === undefined) return;
  if (selecting) toggleSelected(id);
  else startSelecting([id]);
}

/** Reads the text that an earlier visit could not save, and saves it. True once it is read. */
function useKeptText(): boolean {
  const documents = useDocuments();
  const [ready, setReady] = useState(false);
  useEffect(() => {
    documents.start().then(() => setReady(true));
  }, [documents]);
  return ready;
}
