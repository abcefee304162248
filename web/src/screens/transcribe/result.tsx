import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useFolders } from '../../resources/folders.ts';
import { downloadAs, saveAsNote, useTranscription } from '../../resources/transcriptions.ts';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Facts } from '../../ui/transcript/facts.tsx';
import { SaveNote } from '../../ui/transcript/save-note.tsx';
import { Transcript } from '../../ui/transcript/transcript.tsx';
import { TranscriptActions } from '../../ui/transcript/transcript-actions.tsx';
import { Player } from './player.tsx';
import styles from './transcribe.module.css';

/** The recording and its transcript. A click on a segment plays it. */
export function Result({ id, audio, name }: { id: string; audio: Blob; name: string }) {
  const client = useQueryClient();
  const { data: record, isPending, error, refetch } = useTranscription(id);
  const folders = useFolders().data ?? [];
  const player = useRef<HTMLAudioElement>(null);
  const [seconds, setSeconds] = useState<number>();
  const baseName = name.replace(/\.[a-z0-9]{2,4}$/i, '');

  function jump(to: number) {
    if (!player.current) return;
    player.current.currentTime = to;
    setSeconds(to);
    // Fails only without an audio device; the position is set anyway.
    player.current.play().catch(() => {});
  }

  return (
    <div className={styles.result}>
      <h2 className={styles.resultTitle}>{baseName}</h2>
      <Player audio={audio} playerRef={player} onTime={setSeconds} />
      {isPending && <Skeleton lines={6} />}
      {error && <ErrorState error={error} onRetry={refetch} />}
      {record && (
        <>
          <Facts record={record} />
          <TranscriptActions record={record} onDownload={(format) => downloadAs(id, format, baseName)}>
            <SaveNote
              record={record}
              suggestedTitle={baseName}
              folders={folders}
              onSave={(draft) => saveAsNote(client, record, draft)}
            />
          </TranscriptActions>
          <Transcript record={record} seconds={seconds} onJump={jump} />
        </>
      )}
    </div>
  );
}
