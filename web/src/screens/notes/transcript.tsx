import { isNotFound } from '../../api/errors.ts';
import { formatDuration } from '../../lib/format.ts';
import { type NoteTranscript, useNoteTranscript } from '../../resources/notes.ts';
import { voiceStrings } from '../../strings/voice.ts';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import styles from './note.module.css';

/** A transcript without the times of its words. */
export function Transcript({ noteId }: { noteId: string }) {
  const { data, error, refetch } = useNoteTranscript(noteId);
  if (data) return <Lines {...data} />;
  if (isNotFound(error)) return <EmptyState icon="mic" {...voiceStrings.none} />;
  return error ? <ErrorState error={error} onRetry={refetch} /> : <Skeleton lines={5} />;
}

function Lines({ segments, text }: NoteTranscript) {
  if (segments === null)
    return (
      <p className={styles.line} dir="auto">
        {text}
      </p>
    );
  return segments.map((segment, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a transcript does not change
    <p key={at} className={styles.line} dir="auto">
      <span className="numbers muted">{formatDuration(segment.start * 1000)}</span>
      <span>{segment.text}</span>
    </p>
  ));
}
