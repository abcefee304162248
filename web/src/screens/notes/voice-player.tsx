import { useEffect, useState } from 'react';
import { useHotkeys } from '../../lib/hotkeys.ts';
import { type Peaks, peaksOf } from '../../lib/peaks.ts';
import type { Playback } from '../../lib/playback.ts';
import { audioAddress, useNoteRecording } from '../../resources/note-recording.ts';
import type { Recording } from '../../resources/recordings.ts';
import { voiceStrings as texts } from '../../strings/voice.ts';
import { skipSeconds } from '../../ui/voice/keys.ts';
import { Player } from '../../ui/voice/player.tsx';
import styles from '../../ui/voice/voice.module.css';
import { usePlayback } from './use-playback.ts';

/** Plays the recording of a note, or says why there is nothing to play. */
export function VoicePlayer({ noteId }: { noteId: string }) {
  const recording = useNoteRecording(noteId).data;
  const playback = usePlayback(recording);
  if (recording?.state !== 'done') return null;
  if (!recording.has_audio) return <p className={styles.told}>{texts.gone}</p>;
  return playback && <PlayerWithPeaks recording={recording} playback={playback} />;
}

function PlayerWithPeaks({ recording, playback }: { recording: Recording; playback: Playback }) {
  useHotkeys({
    k: () => playback.toggle(),
    j: () => playback.skip(-skipSeconds),
    l: () => playback.skip(skipSeconds),
  });
  return <Player playback={playback} peaks={usePeaks(recording)} />;
}

function usePeaks({ id, bytes, duration_ms }: Recording): Peaks | undefined {
  const [peaks, setPeaks] = useState<Peaks>();
  useEffect(() => {
    const gone = new AbortController();
    const audio = { id, address: audioAddress(id), bytes, seconds: (duration_ms ?? 0) / 1000 };
    peaksOf(audio, gone.signal).then((found) => {
      if (!gone.signal.aborted) setPeaks(found);
    });
    return () => gone.abort();
  }, [id, bytes, duration_ms]);
  return peaks;
}
