import { useState } from 'react';
import { formatDuration } from '../../lib/format.ts';
import { type NoteTranscript, useNoteTranscript } from '../../resources/notes.ts';
import { noteStrings } from '../../strings/notes.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import styles from './note.module.css';

/** The transcript, with times where they are known. Fetched when it is opened. */
export function Transcript({ noteId }: { noteId: string }) {
  const [isOpen, setOpen] = useState(false);
  const { data, error, refetch } = useNoteTranscript(noteId, isOpen);
  return (
    <details className={styles.extra} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{noteStrings.transcript}</summary>
      {data ? <Lines {...data} /> : error ? <ErrorState error={error} onRetry={refetch} /> : <Skeleton />}
    </details>
  );
}

function Lines({ segments, text }: NoteTranscript) {
  if (segments === null) return <p className={styles.line}>{text}</p>;
  return segments.map((segment, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a transcript does not change
    <p key={at} className={styles.line}>
      <span className="numbers muted">{formatDuration(segment.start * 1000)}</span>
      <span>{segment.text}</span>
    </p>
  ));
}
