import { formatDuration } from '../../lib/format.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import type { Job } from './job.ts';
import styles from './transcribe.module.css';
import { useNow } from './use-now.ts';

const texts = strings.transcribe;

interface Props {
  name: string;
  state: Extract<Job['state'], { step: 'sending' | 'working' }>;
  onCancel(): void;
}

/** Uploading has a percentage. Transcribing has none, so it shows the time that has passed. */
export function Progress({ name, state, onCancel }: Props) {
  const isSending = state.step === 'sending';
  const title = isSending ? texts.uploading : texts.working;
  return (
    <section className={styles.panel} aria-label={name}>
      <p className={styles.fileName}>{name}</p>
      <p className={styles.dropTitle} role="status">
        {title}
      </p>
      <progress
        className={styles.bar}
        aria-label={title}
        max={1}
        {...(isSending ? { value: state.share } : {})}
      />
      <p className="numbers muted">
        {isSending ? texts.uploaded(Math.round(state.share * 100)) : <Elapsed since={state.since} />}
      </p>
      {!isSending && <p className="muted">{texts.workingDetail}</p>}
      <Button look="quiet" onClick={onCancel}>
        {strings.common.cancel}
      </Button>
    </section>
  );
}

function Elapsed({ since }: { since: number }) {
  return texts.elapsed(formatDuration(Math.max(0, useNow() - since)));
}
