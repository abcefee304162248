import { type DragEvent, useRef, useState } from 'react';
import { formatBytes } from '../../lib/format.ts';
import type { Speech } from '../../resources/session.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Unsendable } from './problems.ts';
import styles from './transcribe.module.css';

const texts = strings.transcribe;

interface Props {
  speech: Speech;
  disabled: boolean;
  onFile(file: File): void;
  onProblem(error: Unsendable): void;
  onRecord(): void;
}

/** Drop a file, choose one, or record. */
export function Picker({ speech, disabled, onFile, onProblem, onRecord }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);

  function take(files: FileList | null) {
    const [file, second] = files ?? [];
    if (disabled) return;
    if (second) onProblem(new Unsendable(texts.problems.severalFiles));
    else if (file) onFile(file);
  }
  function hover(event: DragEvent) {
    event.preventDefault();
    setOver(true);
  }
  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  }

  return (
    <section
      className={styles.drop}
      data-over={over || undefined}
      aria-label={texts.drop}
      onDragOver={hover}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <span className={styles.dropIcon}>
        <Icon name="upload" size={32} />
      </span>
      <p className={styles.dropTitle}>{over ? texts.dropNow : texts.drop}</p>
      <p className="muted">
        {texts.formats(speech.formats.map(formatName), formatBytes(speech.max_upload_bytes))}
      </p>
      <div className={styles.dropActions}>
        <Button look="primary" icon="mic" disabled={disabled} onClick={onRecord}>
          {texts.record}
        </Button>
        <span className="muted">{texts.or}</span>
        <Button icon="upload" disabled={disabled} onClick={() => input.current?.click()}>
          {texts.choose}
        </Button>
      </div>
      <input
        ref={input}
        type="file"
        accept={['audio/*', ...speech.formats.map((format) => `.${format}`)].join()}
        hidden
        aria-label={texts.choose}
        onChange={(event) => {
          take(event.target.files);
          // So that choosing the same file again fires a change event.
          event.target.value = '';
        }}
      />
    </section>
  );
}

const formatName = (format: string) => (format === 'webm' ? 'WebM' : format.toUpperCase());
