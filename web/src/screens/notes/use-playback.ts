import { useEffect, useState } from 'react';
import { leftPlaying } from '../../lib/left-playing.ts';
import { Playback } from '../../lib/playback.ts';
import { audioAddress } from '../../resources/note-recording.ts';
import type { Recording } from '../../resources/recordings.ts';

/** What the bar at the foot of the page says of it. */
interface About {
  title: string;
  href: string;
}

interface Open {
  playback: Playback;
  users: number;
  about: About | undefined;
}

/** By recordings. Player and transcript share one, also when the note switches between reading and editing. */
const open = new Map<string, Open>();

function take(key: string, recordings: readonly Recording[]): Open {
  const one: Open = open.get(key) ?? { playback: playbackOf(recordings), users: 0, about: undefined };
  open.set(key, one);
  one.users += 1;
  one.playback.onReplaced = () => one.users === 0 && close(key);
  if (leftPlaying.get()?.playback === one.playback) leftPlaying.set(undefined);
  return one;
}

function close(key: string): void {
  const playback = open.get(key)?.playback;
  open.delete(key);
  if (leftPlaying.get()?.playback === playback) leftPlaying.set(undefined);
  playback?.close();
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

/** What plays goes on. */
function leave(key: string, one: Open): void {
  one.users -= 1;
  // A component that replaces this one mounts at once.
  setTimeout(() => {
    if (one.users > 0 || open.get(key) !== one) return;
    const { playback, about } = one;
    if (about && playback.state.get().isPlaying)
      leftPlaying.set({ ...about, playback, close: () => close(key) });
    else close(key);
  });
}

/** Undefined when there is no audio to play. */
export function usePlayback(recordings: readonly Recording[], about?: About): Playback | undefined {
  const [taken, setTaken] = useState<Open>();
  const isAudible = recordings.some(({ has_audio }) => has_audio);
  const key = isAudible ? recordings.map(({ id, has_audio }) => `${id} ${has_audio}`).join() : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same recordings, fetched again, play on
  useEffect(() => {
    if (key === undefined) return;
    const one = take(key, recordings);
    setTaken(one);
    return () => {
      setTaken(undefined);
      leave(key, one);
    };
  }, [key]);
  useEffect(() => {
    if (taken && about) taken.about = about;
  });
  return taken?.playback;
}
