import { type DragEvent, memo } from 'react';
import { excerptOf } from '../../lib/excerpt.ts';
import { formatDateTime, formatDuration, formatShort } from '../../lib/format.ts';
import { Link } from '../../lib/router.tsx';
import type { UnsavedText } from '../../notes/documents.ts';
import type { FoundNote, ListedNote, NoteSort } from '../../resources/note-list.ts';
import { matchOf } from '../../resources/note-search.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { Icon } from '../../ui/icon.tsx';
import { carryNotes } from './dragged-notes.ts';
import { Highlighted } from './found-words.tsx';
import styles from './note-list.module.css';
import { toggleSelected } from './selection.ts';

interface Props {
  note: ListedNote | FoundNote;
  href: string;
  sort: NoteSort;
  /** It is the one on the screen beside the list. */
  open: boolean;
  /** Tab leads to one item of the list, arrow keys to the others. */
  stop: boolean;
  /** Undefined while no notes are being chosen. */
  chosen: boolean | undefined;
  /** For choosing from one note to another. */
  notes: readonly { id: string }[];
}

/** One note in the list: a link, or a box to tick while notes are being chosen. */
export const NoteItem = memo(function NoteItem({ note, href, sort, open, stop, chosen, notes }: Props) {
  const drag = {
    draggable: true,
    onDragStart: (event: DragEvent) => carryNotes(event.dataTransfer, note),
  };
  const content = <Content note={note} sort={sort} />;
  if (chosen === undefined)
    return (
      <a
        className={styles.item}
        href={href}
        aria-current={open ? 'page' : undefined}
        tabIndex={stop ? 0 : -1}
        {...drag}
      >
        {content}
      </a>
    );
  return (
    <label className={styles.choosable} {...drag}>
      <input
        type="checkbox"
        checked={chosen}
        tabIndex={stop ? 0 : -1}
        aria-label={note.title || texts.untitled}
        onClick={(event) => toggleSelected(note.id, event.shiftKey ? notes : undefined)}
        onChange={() => {}}
      />
      <span className={styles.item}>{content}</span>
    </label>
  );
});

/** Not rendered again when the address changes, which every letter of a search does. */
const Content = memo(function Content({ note, sort }: Pick<Props, 'note' | 'sort'>) {
  const found = 'highlights' in note ? note.highlights : undefined;
  const title = found?.find(({ field }) => field === 'title');
  const { excerpt, at } = matchOf(note);
  const time = sort === 'created' ? note.created_at : note.updated_at;
  return (
    <>
      <span className={styles.itemHead}>
        {note.note_type !== 'personal' && (
          <span className={styles.voice} title={texts.voice}>
            <Icon name="wave" size={16} />
            <span className="visually-hidden">{texts.voice}</span>
          </span>
        )}
        <span className={styles.itemTitle} dir="auto">
          {title ? <Highlighted {...title} /> : note.title || texts.untitled}
        </span>
        {note.pinned && (
          <span className={styles.itemPin} title={texts.pinned}>
            <Icon name="pin" size={14} />
            <span className="visually-hidden">{texts.pinned}</span>
          </span>
        )}
        <time dateTime={time} title={formatDateTime(time)}>
          {formatShort(time)}
        </time>
      </span>
      <span className={styles.itemText} dir="auto">
        {at !== undefined && (
          <span className={styles.moment}>
            <span className="visually-hidden">{texts.saidAt} </span>
            {formatDuration(Math.floor(at) * 1000)}
          </span>
        )}
        {excerpt ? <Highlighted {...excerpt} /> : excerptOf(beginningOf(note))}
      </span>
      {note.tags && note.tags.length > 0 && (
        <span className={styles.itemTags}>
          <span className="visually-hidden">{texts.tags.title}: </span>
          {/* The list listens: a press filters by the tag. With the keyboard, the tags of the open note do. */}
          {note.tags.map(({ id, name }) => (
            <span key={id} data-tag={id} dir="auto">
              {name}
            </span>
          ))}
        </span>
      )}
    </>
  );
});

/** The text that was saved since is newer than the preview. */
const beginningOf = ({ content, preview }: ListedNote) => content ?? preview ?? '';

/** A new note that the server does not have yet. */
export const UnsavedItem = ({ note, href }: { note: UnsavedText; href: string }) => (
  <Link className={styles.item} to={href} state={{ draft: note.key }}>
    <span className={styles.itemHead}>
      <span className={styles.itemTitle} dir="auto">
        {note.title || texts.untitled}
      </span>
      <span className="badge badge-warning">{texts.unsavedNote}</span>
    </span>
    <span className={styles.itemText}>{excerptOf(note.content)}</span>
  </Link>
);
