import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';
import { Link, NavLink, useLocation } from 'react-router';
import { dayHeadings } from '../../lib/day-group.ts';
import { formatDateTime, formatShort } from '../../lib/format.ts';
import { useStore } from '../../lib/store.ts';
import { type FoundNote, type Note, useNoteList, useNoteSearch } from '../../resources/notes.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { FirstNote } from './first-note.tsx';
import { excerptOf, Highlighted } from './found-words.tsx';
import { keptDrafts } from './kept-drafts.ts';
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
  const { id, folderId, openNew } = useNotesPlace();
  const searching = query !== '';
  const list = useNoteList(folderId, !searching);
  const search = useNoteSearch(query, folderId);
  const hidden = usePendingDeletes();
  const source = searching ? search : list;
  if (source.isPending) return <ListSkeleton />;
  if (!source.data) return <ErrorState error={source.error} onRetry={source.refetch} />;

  const known: (Note | FoundNote)[] = searching
    ? (search.data?.data ?? [])
    : (list.data?.pages.flatMap((page) => page.data) ?? []);
  const notes = known.filter(({ id }) => !hidden.has(id));
  const headings = searching ? [] : dayHeadings(notes.map((note) => note.created_at));
  const stop = notes.some((note) => note.id === id) ? id : notes[0]?.id;
  return (
    <>
      {searching && (
        <p className={styles.count} role="status">
          {texts.found(notes.length, search.data?.total ?? 0, search.data?.more ?? false)}
        </p>
      )}
      {!searching && <UnsavedNotes />}
      {notes.length === 0 ? (
        <Nothing searching={searching} inFolder={folderId !== undefined} onNew={openNew} />
      ) : (
        <ul className={styles.list} ref={listRef} aria-label={texts.noteList} onKeyDown={moveByArrows}>
          {notes.map((note, at) => (
            <NoteItem key={note.id} note={note} heading={headings[at]} stop={note.id === stop} />
          ))}
        </ul>
      )}
      {!searching && list.hasNextPage && (
        <LoadMore busy={list.isFetchingNextPage} onVisible={list.fetchNextPage} />
      )}
    </>
  );
}

/** New notes that the server does not have yet, because it could not be reached. */
function UnsavedNotes() {
  const { newHref } = useNotesPlace();
  const { state } = useLocation();
  const waiting = [...useStore(keptDrafts).values()].filter(
    ({ id, updatedAt }) => updatedAt === undefined && id !== state?.draft,
  );
  if (waiting.length === 0) return null;
  return (
    <ul className={styles.list} aria-label={texts.unsavedNotes}>
      {waiting.map(({ id, title, content }) => (
        <li key={id}>
          <Link className={styles.item} to={newHref} state={{ draft: id }}>
            <span className={styles.itemHead}>
              <span className={styles.itemTitle} dir="auto">
                {title || texts.untitled}
              </span>
              <span className="badge badge-warning">{texts.unsavedNote}</span>
            </span>
            <span className={styles.itemText}>{excerptOf(content)}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

interface ItemProps {
  note: Note | FoundNote;
  /** Of the day group that begins with this note. */
  heading: string | undefined;
  /** Whether it can be reached with Tab; arrow keys lead to the others. */
  stop: boolean;
}

function NoteItem({ note, heading, stop }: ItemProps) {
  const { hrefOf } = useNotesPlace();
  const found = 'highlights' in note ? note.highlights : undefined;
  const title = found?.find(({ field }) => field === 'title');
  const excerpt = found?.find(({ field }) => field !== 'title');
  return (
    <li>
      {heading && <h2 className={styles.day}>{heading}</h2>}
      <NavLink className={styles.item ?? ''} to={hrefOf(note.id)} tabIndex={stop ? 0 : -1}>
        <span className={styles.itemHead}>
          {note.note_type !== 'personal' && <VoiceMark />}
          <span className={styles.itemTitle} dir="auto">
            {title ? <Highlighted {...title} /> : note.title || texts.untitled}
          </span>
          <time dateTime={note.created_at} title={formatDateTime(note.created_at)}>
            {formatShort(note.created_at)}
          </time>
        </span>
        <span className={styles.itemText} dir="auto">
          {excerpt ? <Highlighted {...excerpt} /> : excerptOf(note.content)}
        </span>
      </NavLink>
    </li>
  );
}

/** The note was spoken. */
const VoiceMark = () => (
  <span className={styles.voice} title={texts.voice}>
    <Icon name="wave" size={16} />
    <span className="visually-hidden">{texts.voice}</span>
  </span>
);

function Nothing({ searching, inFolder, onNew }: { searching: boolean; inFolder: boolean; onNew(): void }) {
  if (searching) return <EmptyState icon="search" {...texts.nothingFound} />;
  if (!inFolder)
    return (
      <>
        <p className={styles.empty}>{texts.empty}</p>
        <div className={styles.first}>
          <FirstNote onWrite={onNew} />
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
