import { formatDuration } from '../../lib/format.ts';
import { strings } from '../../strings.ts';
import styles from './notes.module.css';

interface Line {
  start: number | undefined;
  text: string;
}

/** The transcript, with times where they are known. */
export function Transcript({ transcript }: { transcript: string }) {
  return (
    <details className={styles.extra}>
      <summary>{strings.notes.transcript}</summary>
      {linesOf(transcript).map(({ start, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a transcript does not change
        <p key={at} className={styles.line}>
          {start !== undefined && <span className="numbers muted">{formatDuration(start * 1000)}</span>}
          <span>{text}</span>
        </p>
      ))}
    </details>
  );
}

/** The API gives plain text, or a JSON array of segments. */
function linesOf(transcript: string): Line[] {
  const plain = [{ start: undefined, text: transcript }];
  if (!transcript.startsWith('[')) return plain;
  try {
    const segments: unknown = JSON.parse(transcript);
    if (!Array.isArray(segments)) return plain;
    return segments.map(({ start, text }) => ({
      start: typeof start === 'number' ? start : undefined,
      text: String(text ?? ''),
    }));
  } catch {
    return plain;
  }
}
