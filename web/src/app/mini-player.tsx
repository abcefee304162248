import { PlayButton, Position, Speed } from '../features/voice/player.tsx';
import { useCommands } from '../lib/commands.ts';
import { formatDuration } from '../lib/format.ts';
import type { LeftPlaying } from '../lib/left-playing.ts';
import { Link } from '../lib/router.tsx';
import { useStore } from '../lib/store.ts';
import { voiceStrings as texts } from '../strings/voice.ts';
import { IconButton } from '../ui/button.tsx';
import styles from './mini-player.module.css';

/** At the foot of every screen: a recording that goes on playing while its note is not open. */
export function MiniPlayer({ playback, title, href, close }: LeftPlaying) {
  const { isPlaying, seconds, speed } = useStore(playback.state);
  useCommands([{ id: 'play', run: () => playback.toggle() }]);
  const time = formatDuration(Math.floor(seconds) * 1000);
  const length = formatDuration(playback.length * 1000);
  return (
    <section className={styles.bar} aria-label={texts.stillPlaying}>
      <PlayButton playback={playback} isPlaying={isPlaying} />
      <Link className={styles.title} to={href}>
        <span className="truncate" dir="auto">
          {title}
        </span>
      </Link>
      <span className={styles.time} aria-hidden="true">
        {time} / {length}
      </span>
      <Position playback={playback} seconds={seconds} />
      <Speed playback={playback} speed={speed} />
      <IconButton icon="close" label={texts.stopPlaying} onClick={close} />
    </section>
  );
}
