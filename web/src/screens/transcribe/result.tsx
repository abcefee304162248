import { useRef, useState } from 'react';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Facts } from './facts.tsx';
import { Player } from './player.tsx';
import { useTranscription } from './queries.ts';
import { SaveNote } from './save-note.tsx';
import styles from './transcribe.module.css';
import { Transcript } from './transcript.tsx';
import { TranscriptActions } from './transcript-actions.tsx';

/** The recording in memory, and its transcript: each part plays from where it was said. */
export function Result({ id, audio, name }: { id: string; audio: Blob; name: string }) {
  const record = useTranscription(id);
  const player = useRef<HTMLAudioElement>(null);
  const [seconds, setSeconds] = useState<number>();
  const baseName = name.replace(/\.[a-z0-9]{2,4}$/i, '');

  function jump(to: number) {
    if (!player.current) return;
    player.current.currentTime = to;
    setSeconds(to);
    // Refused only where no sound can be made; the place is set all the same.
    player.current.play().catch(() => {});
  }

  return (
    <div className={styles.result}>
      <h2 className={styles.resultTitle}>{baseName}</h2>
      <Player audio={audio} playerRef={player} onTime={setSeconds} />
      {record.isPending && <Skeleton lines={6} />}
      {record.isError && <ErrorState error={record.error} onRetry={record.refetch} />}
      {record.data && (
        <>
          <Facts record={record.data} />
          <TranscriptActions record={record.data} baseName={baseName}>
            <SaveNote record={record.data} suggestedTitle={baseName} />
          </TranscriptActions>
          <Transcript record={record.data} seconds={seconds} onJump={jump} />
        </>
      )}
    </div>
  );
}
