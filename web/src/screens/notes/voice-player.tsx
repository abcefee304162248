import { skipSeconds } from '../../features/voice/keys.ts';
import styles from '../../features/voice/player.module.css';
import { Player } from '../../features/voice/player.tsx';
import { useCommands } from '../../lib/commands.ts';
import { noteHref } from '../../lib/note-links.ts';
import type { Playback } from '../../lib/playback.ts';
import { useWaveform } from '../../resources/note-recording.ts';
import type { Recording } from '../../resources/recordings.ts';
import { noteStrings } from '../../strings/notes.ts';
import { voiceStrings as texts } from '../../strings/voice.ts';
import { useNotesPlace } from './place.ts';
import { useDone } from './use-done.ts';
import { usePlayback } from './use-playback.ts';

/** Plays the recordings of a note, or says why there is nothing to play. */
export function VoicePlayer({ noteId, title }: { noteId: string; title: string }) {
  const recordings = useDone(noteId);
  const { spaceId } = useNotesPlace();
  const playback = usePlayback(recordings, {
    title: title || noteStrings.untitled,
    href: noteHref(noteId, { spaceId }),
  });
  if (recordings.length === 0) return null;
  if (!recordings.some(({ has_audio }) => has_audio)) return <p className={styles.told}>{texts.gone}</p>;
  return playback && <PlayerWithPeaks recordings={recordings} playback={playback} />;
}

function PlayerWithPeaks({ recordings, playback }: { recordings: readonly Recording[]; playback: Playback }) {
  useCommands([
    { id: 'play', run: () => playback.toggle() },
    { id: 'back', run: () => playback.skip(-skipSeconds) },
    { id: 'forward', run: () => playback.skip(skipSeconds) },
  ]);
  return <Player playback={playback} peaks={useWaveform(recordings)} />;
}
