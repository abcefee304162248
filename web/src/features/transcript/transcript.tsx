import type { components } from '@steno/sdk';
import { useEffect, useRef } from 'react';
import { formatDuration } from '../../lib/format.ts';
import { transcriptStrings } from '../../strings/transcript.ts';
import { EmptyState } from '../../ui/states.tsx';
import styles from './transcript.module.css';

type Transcription = components['schemas']['Transcription'];
type Segment = components['schemas']['Segment'];

const texts = transcriptStrings;

interface Props {
  record: Transcription;
  /** The position of the player. */
  seconds?: number | undefined;
  /** Left out when there is no audio; the segments are then plain text. */
  onJump?: (seconds: number) => void;
}

export function Transcript({ record, seconds, onJump }: Props) {
  if (record.text.trim() === '') return <EmptyState icon="mic" {...texts.silence} />;
  if (!record.segments || record.segments.length === 0) return <p className={styles.text}>{record.text}</p>;
  const { segments } = record;
  const speakers = new Set(segments.map(({ speaker }) => speaker));
  const playing = seconds === undefined ? -1 : segments.findLastIndex(({ start }) => start <= seconds);
  return (
    <ol className={styles.segments} aria-label={texts.segments}>
      {segments.map((segment, at) => (
        <Part
          // biome-ignore lint/suspicious/noArrayIndexKey: a transcript does not change
          key={at}
          segment={segment}
          isNamed={speakers.size > 1}
          isPlaying={at === playing}
          onJump={onJump}
        />
      ))}
    </ol>
  );
}

interface PartProps {
  segment: Segment;
  /** False if there is only one speaker. */
  isNamed: boolean;
  isPlaying: boolean;
  onJump: ((seconds: number) => void) | undefined;
}

function Part({ segment, isNamed, isPlaying, onJump }: PartProps) {
  const ref = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isPlaying) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [isPlaying]);
  const time = formatDuration(segment.start * 1000);
  const said = (
    <>
      <span className={styles.time}>{time}</span>
      <span>
        {isNamed && segment.speaker && <strong>{segment.speaker}: </strong>}
        {segment.text.trim()}
      </span>
    </>
  );
  return (
    <li ref={ref}>
      {onJump ? (
        <button
          type="button"
          className={styles.segment}
          aria-current={isPlaying || undefined}
          title={texts.playFrom(time)}
          onClick={() => onJump(segment.start)}
        >
          {said}
        </button>
      ) : (
        <div className={styles.segment}>{said}</div>
      )}
    </li>
  );
}
