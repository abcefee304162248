import { isNotFound } from '../../api/errors.ts';
import { randomId } from '../../lib/random-id.ts';
import { Navigate, useLocation } from '../../lib/router.tsx';
import { useDocuments } from '../../notes/use-documents.tsx';
import { useNote } from '../../resources/notes.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { later } from '../../ui/later.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { Editor } from './editor.tsx';
import styles from './note.module.css';
import { usePendingDeletes } from './pending-deletes.ts';
import { newNoteId } from './place.ts';

const RecordingPane = later(async () => (await import('./recording-pane.tsx')).RecordingPane);

/** The open note: loading, not found, or in the editor. */
export function NotePane({ id, query }: { id: string; query: string }) {
  const isNew = id === newNoteId;
  const note = useNote(isNew ? undefined : id);
  const deleted = usePendingDeletes().has(id);
  const { state } = useLocation();
  const documents = useDocuments();
  const gone = (
    <div className="center">
      <EmptyState icon="trash" {...(deleted ? texts.justDeleted : texts.gone)} />
    </div>
  );
  if (deleted) return gone;
  const isGone = isNotFound(note.error) && !documents.hasUnsaved(id);
  // A recording in progress has no note yet, so the recording is shown until it has one.
  if (isGone) return <RecordingPane id={id}>{gone}</RecordingPane>;
  if (!isNew && !note.data && !isNotFound(note.error))
    return note.isError ? (
      <div className="center">
        <ErrorState error={note.error} onRetry={note.refetch} />
      </div>
    ) : (
      <div className={styles.note}>
        <Skeleton lines={8} />
      </div>
    );
  if (isNew && state?.draft === undefined) return <Navigate to="" state={{ draft: randomId() }} replace />;
  // A new note gets its id while someone types. The key must not change, or the draft would be lost.
  const draft = typeof state?.draft === 'string' ? state.draft : id;
  return <Editor key={draft} draftId={draft} note={note.data} query={query} />;
}
