import { useMemo } from 'react';
import { type Segment, toSpoken } from './spoken.ts';
import styles from './transcript.module.css';
import { TranscriptView } from './transcript-view.tsx';

interface Props {
  /** Null for text without times. */
  segments: readonly Segment[] | null;
  text: string;
}

/** A transcript to read: neither played nor corrected here. */
export function Transcript({ segments, text }: Props) {
  const spoken = useMemo(() => toSpoken(segments ?? []), [segments]);
  if (spoken.paragraphs.length > 0 || text.trim() === '') return <TranscriptView spoken={spoken} />;
  return (
    <p className={styles.text} dir="auto">
      {text}
    </p>
  );
}
