import { useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { formatDuration } from '../lib/format.ts';
import { useStore } from '../lib/store.ts';
import { useNow } from '../lib/use-now.ts';
import { recorderStrings as texts } from '../strings/recorder.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Spinner } from '../ui/spinner.tsx';
import { Notice } from '../ui/states.tsx';
import { MicrophoneField } from './microphone-field.tsx';
import { useItems } from './page-queue.ts';
import {
  discardRecording,
  pauseRecording,
  resumeRecording,
  spokenMs,
  stopRecording,
  useLiveTranscript,
} from './record.ts';
import styles from './recorder.module.css';
import { SpeakersOf } from './speakers-field.tsx';
import { isPaused as isPausedIn, type RecorderState, roomForWords, useRecorder } from './state.ts';
import { Wave } from './wave.tsx';

type Shown = Extract<RecorderState, { step: 'recording' | 'finishing' }>;

/** Visible during a recording on every screen, and until its note is there. */
export function RecordingBar({ state }: { state: Shown }) {
  const [isOpen, setOpen] = useState(true);
  const [asksToDiscard, setAsking] = useState(false);
  const item = useItems().find(({ id }) => id === state.id);
  const room = useStore(roomForWords);
  const isRecording = state.step === 'recording';
  const isPaused = isPausedIn(state);
  return (
    <section
      className={styles.bar}
      data-grows={room === null || undefined}
      aria-label={isRecording ? (isPaused ? texts.paused : texts.recording) : texts.finishing}
    >
      {isRecording && state.problem && (
        <div className={styles.problem}>
          <Notice tone="warning" title={state.problem.title}>
            <p>{state.problem.detail}</p>
          </Notice>
        </div>
      )}
      {isOpen && (
        <div className={styles.panel}>
          {item?.to && (
            <p className="muted" dir="auto">
              {texts.goesTo(item.to.name)}
            </p>
          )}
          {!room && <Words isRecording={isRecording} />}
          {item && <SpeakersOf key={item.recordingId} item={item} />}
          {isRecording && (
            <div className={styles.panelFoot}>
              <MicrophoneField />
              <Connection id={state.id} text={texts.online} />
              <Button look="quiet" icon="trash" onClick={() => setAsking(true)}>
                {texts.discard}
              </Button>
            </div>
          )}
        </div>
      )}
      {room && createPortal(<Words isRecording={isRecording} fills />, room)}
      <div className={styles.controls}>
        {isRecording ? (
          <>
            <span className={styles.dot} data-paused={isPaused || undefined} />
            <Time isPaused={isPaused} />
            {isPaused && <span className={styles.paused}>{texts.paused}</span>}
            <Wave isPaused={isPaused} />
            <IconButton
              icon={isPaused ? 'mic' : 'pause'}
              label={isPaused ? texts.resume : texts.pause}
              onClick={isPaused ? () => void resumeRecording() : pauseRecording}
            />
            <Button look="primary" icon="stop" className={styles.stop} onClick={stopRecording}>
              {texts.stop}
            </Button>
          </>
        ) : (
          <div className={styles.finishing}>
            <Spinner size={18} />
            <Connection id={state.id} text={texts.finishing} />
          </div>
        )}
        <IconButton
          icon="down"
          className={isOpen ? undefined : styles.closed}
          label={isOpen ? texts.hideText : texts.showText}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </div>
      <ConfirmDialog
        open={asksToDiscard}
        onClose={() => setAsking(false)}
        title={texts.discardTitle}
        description={texts.discardDetail}
        action={texts.discard}
        onConfirm={() => {
          setAsking(false);
          discardRecording();
        }}
      />
    </section>
  );
}

function Time({ isPaused }: { isPaused: boolean }) {
  const now = useNow();
  return (
    <span className={styles.time} role="timer" data-paused={isPaused || undefined}>
      {formatDuration(spokenMs(now))}
    </span>
  );
}

/** The transcript so far: final words in ink, the partial transcript paler. */
function Words({ isRecording, fills = false }: { isRecording: boolean; fills?: boolean }) {
  const { texts: final, partial } = useLiveTranscript();
  const box = useRef<HTMLDivElement>(null);
  const look = fills ? styles.page : styles.words;
  const said = final.join(' ').trim();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the newest words stay in sight
  useEffect(() => {
    box.current?.scrollTo(0, box.current.scrollHeight);
  }, [said, partial]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keyboard must be able to
    <div ref={box} className={look} role="log" aria-label={texts.text} tabIndex={0} dir="auto">
      {said} <span className={styles.partial}>{partial}</span>
      {said === '' && partial === '' && (
        <span className="muted">{isRecording ? texts.nothingYet : texts.wordsSoon}</span>
      )}
    </div>
  );
}

/** Always says where the audio is. `text` if all is well. */
function Connection({ id, text }: { id: string; text: string }) {
  const state = useRecorder();
  const item = useItems().find((one) => one.id === id);
  if (item?.state.step === 'failed')
    return (
      <p className={styles.waiting} role="status">
        {item.state.problem.title}. {texts.keptHere}
      </p>
    );
  const isWaiting = item?.state.step === 'sending' && !item.state.isTaken;
  const waiting = item?.isUnkept ? texts.waitingUnkept : texts.waiting;
  const isUnheard = state.step === 'recording' && state.problem !== undefined;
  const unsent = isWaiting
    ? waiting
    : isPausedIn(state)
      ? texts.nothingRecorded
      : isUnheard && texts.nothingHeard;
  return (
    <p className={unsent ? styles.waiting : styles.online} role="status">
      {unsent || text}
    </p>
  );
}
