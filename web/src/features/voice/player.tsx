import { keysOf } from '../../lib/command-table.ts';
import { formatDuration } from '../../lib/format.ts';
import { keyOf } from '../../lib/key-of.ts';
import { type Playback, speeds } from '../../lib/playback.ts';
import { useStore } from '../../lib/store.ts';
import { voiceStrings as texts } from '../../strings/voice.ts';
import { Icon } from '../../ui/icon.tsx';
import { playByKey, skipSeconds } from './keys.ts';
import styles from './player.module.css';
import { Waveform } from './waveform.tsx';

interface Props {
  playback: Playback;
  peaks: readonly number[] | undefined;
}

/** Plays a recording. It stays visible while the page scrolls. */
export function Player({ playback, peaks }: Props) {
  const { isPlaying, seconds, speed, failed } = useStore(playback.state);
  if (failed) return <p className={styles.told}>{texts.cannotPlay}</p>;
  const length = formatDuration(playback.length * 1000);
  const time = formatDuration(Math.floor(seconds) * 1000);
  return (
    <section
      className={styles.player}
      aria-label={texts.player}
      onKeyDown={(event) => {
        // Space presses the button that has the focus.
        const isPress = keyOf(event) === ' ' && event.target instanceof HTMLButtonElement;
        if (!isPress && !(event.target instanceof HTMLSelectElement)) playByKey(event, playback);
      }}
    >
      <PlayButton playback={playback} isPlaying={isPlaying} />
      <div className={styles.track}>
        <Waveform peaks={peaks} playback={playback} />
        <Position playback={playback} seconds={seconds} />
        <span className={styles.times} aria-hidden="true">
          <span>{time}</span>
          <span>{length}</span>
        </span>
      </div>
      <span className={styles.controls}>
        <Skip label={texts.back} command="back" seconds={-skipSeconds} playback={playback} />
        <Skip label={texts.forward} command="forward" seconds={skipSeconds} playback={playback} />
        <Speed playback={playback} speed={speed} />
      </span>
    </section>
  );
}

/** Where it plays; moved by hand or by keys. */
export const Position = ({ playback, seconds }: { playback: Playback; seconds: number }) => (
  <input
    type="range"
    aria-label={texts.position}
    aria-valuetext={texts.at(
      formatDuration(Math.floor(seconds) * 1000),
      formatDuration(playback.length * 1000),
    )}
    min={0}
    max={playback.length}
    step={0.1}
    value={Math.min(seconds, playback.length)}
    onChange={(event) => playback.seek(Number(event.target.value))}
  />
);

export const PlayButton = ({ playback, isPlaying }: { playback: Playback; isPlaying: boolean }) => (
  <button
    type="button"
    className={styles.play}
    aria-label={isPlaying ? texts.pause : texts.play}
    title={isPlaying ? texts.pause : texts.play}
    aria-keyshortcuts={keysOf('play')}
    onClick={() => playback.toggle()}
  >
    <PlayIcon isPlaying={isPlaying} />
  </button>
);

export const Speed = ({ playback, speed }: { playback: Playback; speed: number }) => (
  <label className={styles.speed}>
    <span className="visually-hidden">{texts.speed}</span>
    <select value={speed} onChange={(event) => playback.setSpeed(Number(event.target.value))}>
      {speeds.map((choice) => (
        <option key={choice} value={choice}>
          {texts.speedOf(choice)}
        </option>
      ))}
    </select>
    <Icon name="down" size={14} />
  </label>
);

interface SkipProps {
  label: string;
  command: 'back' | 'forward';
  seconds: number;
  playback: Playback;
}

function Skip({ label, command, seconds, playback }: SkipProps) {
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={label}
      title={label}
      aria-keyshortcuts={keysOf(command)}
      onClick={() => playback.skip(seconds)}
    >
      <svg width="22" height="22" viewBox="0 0 22 22" fill="none" stroke="currentColor" aria-hidden="true">
        <path
          d={
            seconds < 0
              ? 'M4 11a7 7 0 1 0 2.4-5.3M6.8 2.6l-.6 3.3 3.3.6'
              : 'M18 11a7 7 0 1 1-2.4-5.3M15.2 2.6l.6 3.3-3.3.6'
          }
          strokeWidth="1.5"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
        <text
          x="11"
          y="13.6"
          textAnchor="middle"
          fontSize="7"
          fontWeight="600"
          fill="currentColor"
          stroke="none"
        >
          {Math.abs(seconds)}
        </text>
      </svg>
    </button>
  );
}

const PlayIcon = ({ isPlaying }: { isPlaying: boolean }) => (
  <svg width="20" height="20" viewBox="0 0 20 20" fill="currentColor" aria-hidden="true">
    <path d={isPlaying ? 'M5.5 4h3v12h-3zM11.5 4h3v12h-3z' : 'M6.5 3.8v12.4l10-6.2z'} />
  </svg>
);
