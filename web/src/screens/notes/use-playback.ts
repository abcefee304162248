import { useEffect, useState } from 'react';
import { Playback } from '../../lib/playback.ts';
import { audioAddress } from '../../resources/note-recording.ts';
import type { Recording } from '../../resources/recordings.ts';

/** One recording plays at a time. Player and transcript share it, also when the note switches between reading and editing. */
let open: { id: string; playback: Playback; users: number } | undefined;

function take({ id, duration_ms }: Recording): Playback {
  if (open?.id !== id) {
    open?.playback.close();
    open = { id, playback: new Playback(audioAddress(id), (duration_ms ?? 0) / 1000), users: 0 };
  }
  open.users += 1;
  return open.playback;
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
export function usePlayback(recording: Recording | null | undefined): Playback | undefined {
  const [playback, setPlayback] = useState<Playback>();
  const id = recording?.has_audio && recording.state === 'done' ? recording.id : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same recording, fetched again, plays on
  useEffect(() => {
    if (!recording || id === undefined) return;
    const taken = take(recording);
    setPlayback(taken);
    return () => {
      setPlayback(undefined);
      leave(taken);
    };
  }, [id]);
  return playback;
}
