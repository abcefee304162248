import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';
import { NavLink } from 'react-router';
import { formatDateTime, formatShort } from '../../lib/format.ts';
import { type Note, useNoteList, useNoteSearch } from '../../resources/notes.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { excerptOf, Marked } from './found-words.tsx';
import styles from './notes.module.css';
import { usePendingDeletes } from './pending-deletes.ts';
import { useNotesPlace } from './place.ts';

const texts = strings.notes;

interface Props {
  /** The search, updated when typing pauses. */
  query: string;
  listRef: RefObject<HTMLUListElement | null>;
}

export function NoteList({ query, listRef }: Props) {
  const { folderId, openNew } = useNotesPlace();
  const searching = query !== '';
  const list = useNoteList(folderId, !searching);
  const search = useNoteSearch(query);
  const hidden = usePendingDeletes();
  const source = searching ? search : list;
  if (source.isPending) return <ListSkeleton />;
  if (source.isError) return <ErrorState error={source.error} onRetry={source.refetch} />;

  const known: Note[] = searching
    ? (search.data ?? [])
    : (list.data?.pages.flatMap((page) => page.data) ?? []);
  const notes = known.filter(({ id }) => !hidden.has(id));
  return (
    <>
      {searching && (
        <p className={styles.count} role="status">
          {texts.found(notes.length)}
        </p>
      )}
      {notes.length === 0 ? (
        <Nothing searching={searching} inFolder={folderId !== undefined} onNew={openNew} />
      ) : (
        <ul className={styles.list} ref={listRef} aria-label={texts.noteList} onKeyDown={moveByArrows}>
          {notes.map((note) => (
            <NoteItem key={note.id} note={note} query={query} />
          ))}
        </ul>
      )}
      {!searching && list.hasNextPage && (
        <LoadMore busy={list.isFetchingNextPage} onVisible={list.fetchNextPage} />
      )}
    </>
  );
}

function NoteItem({ note, query }: { note: Note; query: string }) {
  const { hrefOf } = useNotesPlace();
  return (
    <li>
      <NavLink className={styles.item ?? ''} to={hrefOf(note.id)}>
        <span className={styles.itemHead}>
          <span className={styles.itemTitle}>
            <Marked text={note.title || texts.untitled} query={query} />
          </span>
          <time dateTime={note.created_at} title={formatDateTime(note.created_at)}>
            {formatShort(note.created_at)}
          </time>
        </span>
        <span className={styles.itemText}>
          <Marked text={excerptOf(note.content, query)} query={query} />
        </span>
      </NavLink>
    </li>
  );
}

function Nothing({ searching, inFolder, onNew }: { searching: boolean; inFolder: boolean; onNew(): void }) {
  if (searching) return <EmptyState icon="search" {...texts.nothingFound} />;
  return (
    <EmptyState {...(inFolder ? texts.emptyFolder : texts.empty)} icon={inFolder ? 'folder' : 'note'}>
      <Button icon="plus" onClick={onNew}>
        {texts.newNote}
      </Button>
    </EmptyState>
  );
}

/** Loads more when scrolled into view. The button is for keyboards and screen readers. */
function LoadMore({ busy, onVisible }: { busy: boolean; onVisible(): void }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && !busy && onVisible());
    if (ref.current) observer.observe(ref.current);
    return () => observer.disconnect();
  }, [busy, onVisible]);
  return (
    <div ref={ref} className={styles.more}>
      <Button look="quiet" busy={busy} onClick={() => onVisible()}>
        {strings.common.loadMore}
      </Button>
    </div>
  );
}

const ListSkeleton = () => (
  <div className={styles.listSkeleton}>
    <Skeleton lines={9} />
  </div>
);

function moveByArrows(event: KeyboardEvent<HTMLUListElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  focusItem(event.currentTarget, step);
}

/** Moves the focus by `step` notes, or to the open or first note when none has it. */
export function focusItem(list: HTMLElement | null, step: number): void {
  const items = [...(list?.querySelectorAll<HTMLElement>('a') ?? [])];
  const focused = items.indexOf(document.activeElement as HTMLElement);
  const open = items.findIndex((item) => item.getAttribute('aria-current') === 'page');
  const target = focused === -1 ? Math.max(0, open) : focused + step;
  items[Math.min(items.length - 1, Math.max(0, target))]?.focus();
}
