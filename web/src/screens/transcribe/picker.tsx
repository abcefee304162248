import { type DragEvent, useRef, useState } from 'react';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Unsendable } from './problems.ts';
import styles from './transcribe.module.css';

const words = strings.transcribe;
const accepted = 'audio/*,.wav,.mp3,.m4a,.mp4,.ogg,.oga,.opus,.flac,.webm,video/mp4,video/webm';

interface Props {
  onFile(file: File): void;
  onProblem(error: Unsendable): void;
  onRecord(): void;
}

/** Drop, choose or speak. */
export function Picker({ onFile, onProblem, onRecord }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);

  function take(files: FileList | null) {
    const [file, second] = files ?? [];
    if (second) onProblem(new Unsendable(words.problems.severalFiles));
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
      aria-label={words.drop}
      onDragOver={hover}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <span className={styles.dropIcon}>
        <Icon name="upload" size={32} />
      </span>
      <p className={styles.dropTitle}>{over ? words.dropNow : words.drop}</p>
      <p className="muted">{words.formats}</p>
      <div className={styles.dropActions}>
        <Button look="primary" icon="mic" onClick={onRecord}>
          {words.record}
        </Button>
        <span className="muted">{words.or}</span>
        <Button icon="upload" onClick={() => input.current?.click()}>
          {words.choose}
        </Button>
      </div>
      <input
        ref={input}
        type="file"
        accept={accepted}
        hidden
        aria-label={words.choose}
        onChange={(event) => {
          take(event.target.files);
          // Choosing the same file once more must count as a choice.
          event.target.value = '';
        }}
      />
    </section>
  );
}
