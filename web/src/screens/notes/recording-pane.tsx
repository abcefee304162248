import { type ReactNode, useEffect } from 'react';
import { Transcript } from '../../features/transcript/transcript.tsx';
import { Link, Navigate } from '../../lib/router.tsx';
import { refreshNoteLists } from '../../resources/note-list.ts';
import { retry as retryOne, useLiveWords, useRecording } from '../../resources/note-recording.ts';
import { mayTryAgain } from '../../resources/recordings.ts';
import { noteStrings } from '../../strings/notes.ts';
import { voiceStrings as texts } from '../../strings/voice.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import styles from './note.module.css';
import { useNotesPlace } from './place.ts';
import recordingStyles from './recording-pane.module.css';

/** A recording that becomes a note: its progress and its words so far. Shows `children` if there is no such recording. */
export function RecordingPane({ id, children }: { id: string; children: ReactNode }) {
  const { hrefOf, listHref } = useNotesPlace();
  const { data: recording, isPending } = useRecording(id);
  const state = recording?.state;
  const said = useLiveWords(id, state !== undefined && state !== 'done' && state !== 'failed');
  const retry = useAction(() => retryOne(id));
  const noteId = recording?.note_id;
  useEffect(() => {
    if (noteId) void refreshNoteLists();
  }, [noteId]);
  if (isPending) return <Skeleton lines={5} />;
  if (!recording || !state) return children;
  if (noteId) return <Navigate to={hrefOf(noteId)} replace />;
  return (
    <article className={styles.note}>
      <header className={styles.toolbar}>
        <Link className={styles.back} to={listHref}>
          <Icon name="back" />
          {noteStrings.back}
        </Link>
      </header>
      <div className={styles.paper}>
        <h1 className={styles.title} dir="auto">
          {recording.name}
        </h1>
        <div className={recordingStyles.underWay} role="status">
          <strong>{texts.states[state]}</strong>
          {state === 'failed' ? (
            <>
              <p>{recording.error}</p>
              {mayTryAgain(recording) && (
                <Button busy={retry.isPending} onClick={() => retry.mutate()}>
                  {texts.retry}
                </Button>
              )}
            </>
          ) : state === 'done' ? (
            recording.transcription_id && (
              <Link className="button" to={`/history/${recording.transcription_id}`}>
                {texts.openTranscript}
              </Link>
            )
          ) : (
            <>
              <progress
                aria-label={texts.progress}
                value={state === 'transcribing' ? recording.progress : undefined}
              />
              <p>{texts.mayLeave}</p>
            </>
          )}
        </div>
        {said.map((text, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: its place is its name
          <Transcript key={position} segments={null} text={text} />
        ))}
      </div>
    </article>
  );
}
