import { type RefObject, type SyntheticEvent, useEffect, useState } from 'react';
import { strings } from '../../strings.ts';
import styles from './transcribe.module.css';

interface Props {
  audio: Blob;
  playerRef: RefObject<HTMLAudioElement | null>;
  onTime(seconds: number): void;
}

/** Plays the recording from memory; the server has no copy. */
export function Player({ audio, playerRef, onTime }: Props) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const made = URL.createObjectURL(audio);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [audio]);
  if (!url) return null;
  return (
    // biome-ignore lint/a11y/useMediaCaption: its transcript is right below
    <audio
      ref={playerRef}
      className={styles.player}
      src={url}
      controls
      preload="metadata"
      aria-label={strings.transcribe.audio}
      onLoadedMetadata={findLength}
      onTimeUpdate={(event) => onTime(event.currentTarget.currentTime)}
    />
  );
}

/** Recordings made in the browser do not state their length. Seeking past the end makes the player find it. */
function findLength({ currentTarget: player }: SyntheticEvent<HTMLAudioElement>): void {
  if (player.duration !== Number.POSITIVE_INFINITY) return;
  player.addEventListener(
    'durationchange',
    () => {
      player.currentTime = 0;
    },
    { once: true },
  );
  player.currentTime = Number.MAX_SAFE_INTEGER;
}
