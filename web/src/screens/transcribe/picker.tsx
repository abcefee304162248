import { useRef } from 'react';
import { formatBytes } from '../../lib/format.ts';
import { formatName } from '../../recorder/problems.ts';
import type { Speech } from '../../resources/session.ts';
import { recorderStrings } from '../../strings/recorder.ts';
import { transcribeStrings as texts } from '../../strings/transcribe.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import styles from './transcribe.module.css';

interface Props {
  speech: Speech;
  disabled: boolean;
  isRecording: boolean;
  onFiles(files: FileList): void;
  onRecord(): void;
}

/** Record, choose files, or drop them: here, as anywhere in the window. */
export function Picker({ speech, disabled, isRecording, onFiles, onRecord }: Props) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <section className={styles.drop} aria-label={texts.drop}>
      <button
        type="button"
        className={styles.record}
        disabled={disabled || isRecording}
        aria-label={recorderStrings.record}
        onClick={onRecord}
      >
        <Icon name="mic" size={32} />
      </button>
      <p className={styles.dropTitle}>{texts.drop}</p>
      <p className="muted">
        {texts.formats(speech.formats.map(formatName), formatBytes(speech.recording_max_bytes))}
      </p>
      <div className={styles.dropActions}>
        <Button icon="upload" disabled={disabled} onClick={() => input.current?.click()}>
          {texts.choose}
        </Button>
      </div>
      <input
        ref={input}
        type="file"
        multiple
        disabled={disabled}
        accept={['audio/*', 'video/*', ...speech.formats.map((format) => `.${format}`)].join()}
        hidden
        aria-label={texts.choose}
        onChange={(event) => {
          if (event.target.files) onFiles(event.target.files);
          // So that choosing the same file again fires a change event.
          event.target.value = '';
        }}
      />
    </section>
  );
}
