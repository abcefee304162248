import { useEffect, useState } from 'react';
import { keysOf } from '../lib/command-table.ts';
import { leftPlaying } from '../lib/left-playing.ts';
import { useStore } from '../lib/store.ts';
import { keptUploads } from '../recorder/kept-uploads.ts';
import { askToRecord, askToStop, destination, isPaused, useRecorder, wish } from '../recorder/state.ts';
import type { Me } from '../resources/session.ts';
import { recordStrings as texts } from '../strings/record.ts';
import { Icon } from '../ui/icon.tsx';
import { later } from '../ui/later.tsx';
import { DropAnywhere } from './drop-anywhere.tsx';
import { ErrorBoundary } from './error-boundary.tsx';

const loadPlayer = () => import('./mini-player.tsx');
const MiniPlayer = later(async () => (await loadPlayer()).MiniPlayer);
const load = () => import('../recorder/dock.tsx');
const Dock = later(async () => (await load()).Dock);
/** Loaded ahead of time, so that people can record while the server is away. */
export const preloadDock = () => Promise.all([load(), loadPlayer()]).catch(() => {});

/** The place of the dock. Its code is loaded when a person records, drops a file or has an unfinished upload. */
export function DockPlace({ me }: { me: Me }) {
  const [isWanted, setWanted] = useState(false);
  const wished = useStore(wish) !== undefined;
  useEffect(() => {
    if (wished) setWanted(true);
  }, [wished]);
  useEffect(() => {
    keptUploads(me.user_id).then((kept) => kept.length > 0 && setWanted(true));
  }, [me.user_id]);
  return (
    <aside className="dock" aria-label={texts.label}>
      <DropAnywhere />
      <StillPlaying />
      {(isWanted || wished) && (
        <ErrorBoundary>
          <Dock me={me} />
        </ErrorBoundary>
      )}
    </aside>
  );
}

/** What plays goes on when the person opens another screen, until they sign out. */
function StillPlaying() {
  const left = useStore(leftPlaying);
  useEffect(() => () => leftPlaying.get()?.close(), []);
  return left && <MiniPlayer {...left} />;
}

/** The record button, on every screen. On a phone it also stops the recording; elsewhere the bar does. */
export function RecordButton({ stops = false }: { stops?: boolean }) {
  const state = useRecorder();
  const { step } = state;
  const to = useStore(destination);
  const isRecording = step === 'recording';
  const mayStop = isRecording && stops;
  return (
    <button
      type="button"
      className="record-button"
      aria-keyshortcuts={keysOf('record')}
      data-recording={isRecording ? (isPaused(state) ? 'paused' : 'on') : undefined}
      disabled={step === 'asking' || (isRecording && !stops)}
      onClick={mayStop ? askToStop : askToRecord}
    >
      <Icon name={mayStop ? 'stop' : 'mic'} />
      <span className="truncate">
        {mayStop
          ? texts.stopRecording
          : isRecording
            ? isPaused(state)
              ? texts.paused
              : texts.recording
            : to
              ? texts.recordIn(to.name)
              : texts.record}
      </span>
    </button>
  );
}
