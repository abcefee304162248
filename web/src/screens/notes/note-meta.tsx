import { formatDateTime, formatRelative } from '../../lib/format.ts';
import { useStore } from '../../lib/store.ts';
import { editing } from '../../notes/editing.ts';
import { isOwnSession } from '../../notes/sessions.ts';
import type { OpenNote } from '../../resources/notes.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import styles from './note.module.css';
import { useNotesPlace } from './place.ts';
import { useWriters } from './writer.ts';

/** When the note was created, and who writes it or wrote it last, if that may be another person. */
export function NoteMeta({ note, isElsewhere }: { note: OpenNote; isElsewhere: boolean }) {
  const isLastHere = isOwnSession(note.edit?.session ?? null);
  const isWritten = useStore(editing).has(note.id) && !isElsewhere && !isLastHere;
  const writer = useWriters('')(note);
  const isShared = useNotesPlace().spaceId !== undefined || note.edited_with !== null;
  return (
    <p className={styles.meta}>
      {texts.created(formatDateTime(note.created_at))}
      {isShared && note.edited_at !== null && !isWritten && (
        <span title={formatDateTime(note.edited_at)}>
          {texts.edited(writer || texts.yourself, formatRelative(note.edited_at))}
        </span>
      )}
      <span role="status">{isWritten && (writer ? texts.isEditing(writer) : texts.editingElsewhere)}</span>
    </p>
  );
}
