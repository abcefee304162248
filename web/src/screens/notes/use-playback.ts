import { useEffect, useState } from 'react';
import { Playback } from '../../lib/playback.ts';
import { audioAddress } from '../../resources/note-recording.ts';
import type { Recording } from '../../resources/recordings.ts';

/** One note plays at a time. Player and transcript share it, also when the note switches between reading and editing. */
let open: { key: string; playback: Playback; users: number } | undefined;

function take(key: string, recordings: readonly Recording[]): Playback {
  if (open?.key !== key) {
    open?.playback.close();
    open = { key, playback: playbackOf(recordings), users: 0 };
  }
  open.users += 1;
  return open.playback;
}

/** Those without audio keep their place, because the times of the transcript count them. */
function playbackOf(recordings: readonly Recording[]): Playback {
  let start = 0;
  const tracks = recordings.flatMap(({ id, duration_ms, has_audio }) => {
    const track = { address: audioAddress(id), start };
    start += (duration_ms ?? 0) / 1000;
    return has_audio ? [track] : [];
  });
  return new Playback(tracks, start);
}

function leave(playback: Playback): void {
  if (open?.playback !== playback) return;
  open.users -= 1;
  // A component that replaces this one mounts at once.
  setTimeout(() => {
    if (open?.playback !== playback || open.users > 0) return;
    playback.close();
    open = undefined;
  });
}

/** Undefined when there is no audio to play. */
export function usePlayback(recordings: readonly Recording[]): Playback | undefined {
  const [playback, setPlayback] = useState<Playback>();
  const isAudible = recordings.some(({ has_audio }) => has_audio);
  const key = isAudible ? recordings.map(({ id, has_audio }) => `${id} ${has_audio}`).join() : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same recordings, fetched again, play on
  useEffect(() => {
    if (key === undefined) return;
    const taken = take(key, recordings);
    setPlayback(taken);
    return () => {
      setPlayback(undefined);
      leave(taken);
    };
  }, [key]);
  return playback;
}
