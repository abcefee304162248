import { type KeyboardEvent, type MouseEvent, type Ref, type RefObject, useEffect } from 'react';
import { keyOf } from '../../lib/key-of.ts';
import { navigate, useLocation } from '../../lib/router.tsx';
import { useUnsavedTexts } from '../../notes/use-documents.tsx';
import { type ListedNote, useNoteList } from '../../resources/note-list.ts';
import { matchOf, useNoteSearch } from '../../resources/note-search.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { FirstNote } from './first-note.tsx';
import { headingAt } from './headings.ts';
import { LoadMore } from './load-more.tsx';
import { NoteItem, UnsavedItem } from './note-item.tsx';
import styles from './note-list.module.css';
import { useNoteSort } from './note-sort.ts';
import { usePendingDeletes } from './pending-deletes.ts';
import { newNoteId, toNarrowing, useNotesPlace } from './place.ts';
import { useSelection } from './selection.ts';
import { type ListHandle, useRows } from './use-rows.ts';

/** How far the list is loaded to find a note that was opened by its link. */
const maxNotesToOpenOne = 250;

interface Props {
  /** The search, updated when typing pauses. */
  query: string;
  /** The element that scrolls. */
  scroller: RefObject<HTMLElement | null>;
  handle: Ref<ListHandle>;
}

export function NoteList({ query, scroller, handle }: Props) {
  const { id, spaceId, folderId, tagId, filters, openNew } = useNotesPlace();
  const sort = useNoteSort();
  const searching = query !== '';
  const list = useNoteList({ spaceId, folderId, tagId, sort }, !searching);
  const search = useNoteSearch(query, { spaceId, folderId, tagId }, toNarrowing(filters));
  const hidden = usePendingDeletes();
  const source = searching ? search : list;
  const known: readonly ListedNote[] = (searching ? search.data?.data : list.data?.notes) ?? [];
  const notes = hidden.size === 0 ? known : known.filter(({ id }) => !hidden.has(id));

  const isOpenKnown = id === undefined || id === newNoteId || notes.some((note) => note.id === id);
  const goOn = !searching && !isOpenKnown && list.hasMore && notes.length < maxNotesToOpenOne;
  const { isPending, isError, mutate } = list.more;
  useEffect(() => {
    if (goOn && !isPending && !isError) mutate();
  }, [goOn, isPending, isError, mutate]);

  if (source.isPending) return <ListSkeleton />;
  if (!source.data) return <ErrorState error={source.error} onRetry={source.refetch} />;
  return (
    <>
      {searching && (
        <Status className={styles.count}>
          {texts.found(notes.length, search.data?.total ?? 0, search.data?.more ?? false)}
        </Status>
      )}
      {!searching && <UnsavedNotes />}
      {notes.length === 0 ? (
        <Nothing
          searching={searching}
          inFolder={folderId !== undefined}
          tagged={tagId !== undefined}
          inSpace={spaceId !== undefined}
          onNew={openNew}
        />
      ) : (
        <Rows
          notes={notes}
          sort={searching ? 'created' : sort}
          grouped={!searching}
          scroller={scroller}
          handle={handle}
        />
      )}
      {!searching && list.hasMore && (
        <LoadMore loaded={known.length} busy={isPending} error={list.more.error} onVisible={mutate} />
      )}
    </>
  );
}

interface RowsProps extends Pick<Props, 'scroller' | 'handle'> {
  notes: readonly ListedNote[];
  sort: 'created' | 'updated';
  /** With headings by day. */
  grouped: boolean;
}

/** Only the notes on the screen are in the page: with ten thousand of them, every click would wait. */
function Rows({ notes, sort, grouped, scroller, handle }: RowsProps) {
  const { id, hrefOf, filter } = useNotesPlace();
  const selection = useSelection();
  const { listRef, rows, height, measure, stop, move, noteFocus } = useRows({
    notes,
    openId: id,
    scroller,
    handle,
  });
  function moveByArrows(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[keyOf(event)];
    if (step === undefined) return;
    event.preventDefault();
    move(step);
  }
  /** One listener for all rows: a router link in each would parse the whole address again at every step. */
  function open(event: MouseEvent) {
    const link = event.target instanceof Element && event.target.closest('a');
    const elsewhere = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (!link || elsewhere) return;
    event.preventDefault();
    const tag = (event.target as Element).closest('[data-tag]')?.getAttribute('data-tag');
    if (tag) return filter('tag', tag);
    navigate(link.pathname + link.search, { replace: link.href === window.location.href });
  }
  return (
    <ul
      className={styles.rows}
      ref={listRef}
      style={{ height }}
      aria-label={texts.noteList}
      onKeyDown={moveByArrows}
      onClick={open}
      onFocus={noteFocus}
    >
      {rows.map(({ note, index, top }) => (
        <li
          key={note.id}
          ref={measure}
          data-index={index}
          aria-setsize={notes.length}
          aria-posinset={index + 1}
          style={{ transform: `translateY(${top}px)` }}
        >
          {grouped && <Heading>{headingAt(notes, index, sort)}</Heading>}
          <NoteItem
            note={note}
            href={hrefOf(note.id, matchOf(note).at)}
            sort={sort}
            open={note.id === id}
            stop={note.id === stop}
            chosen={selection?.has(note.id)}
            notes={notes}
          />
        </li>
      ))}
    </ul>
  );
}

const Heading = ({ children }: { children: string | undefined }) =>
  children && <h2 className={styles.day}>{children}</h2>;

/** New notes that the server does not have yet, because it could not be reached. */
function UnsavedNotes() {
  const place = useNotesPlace();
  const { state } = useLocation();
  const waiting = useUnsavedTexts().filter(
    ({ key, id, isAside, spaceId }) =>
      id === null && !isAside && key !== state?.draft && spaceId === place.spaceId,
  );
  if (waiting.length === 0) return null;
  return (
    <ul className={styles.list} aria-label={texts.unsavedNotes}>
      {waiting.map((note) => (
        <li key={note.key}>
          <UnsavedItem note={note} href={place.newHref} />
        </li>
      ))}
    </ul>
  );
}

interface NothingProps {
  searching: boolean;
  inFolder: boolean;
  /** Only notes with a tag are listed. */
  tagged: boolean;
  inSpace: boolean;
  onNew(): void;
}

function Nothing({ searching, inFolder, tagged, inSpace, onNew }: NothingProps) {
  if (searching) return <EmptyState icon="search" {...texts.nothingFound} />;
  if (tagged) return <EmptyState icon="tag" title={texts.tags.none} />;
  if (!inFolder)
    return (
      <>
        <p className={styles.empty}>{texts.empty}</p>
        <div className={styles.first}>
          <FirstNote inSpace={inSpace} onWrite={onNew} />
        </div>
      </>
    );
  return (
    <EmptyState {...texts.emptyFolder} icon="folder">
      <Button icon="plus" onClick={onNew}>
        {texts.newNote}
      </Button>
    </EmptyState>
  );
}

export const ListSkeleton = () => (
  <div className={styles.listSkeleton}>
    <Skeleton lines={9} />
  </div>
);
