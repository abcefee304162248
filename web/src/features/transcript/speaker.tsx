import { useState } from 'react';
import { maxSpeakerLength } from '../../api/limits.ts';
import { keyOf } from '../../lib/key-of.ts';
import { voiceStrings as texts } from '../../strings/voice.ts';
import styles from './transcript.module.css';

interface Props {
  name: string;
  /** The index among the speakers, which gives the colour. */
  number: number;
  /** Left out when it cannot be renamed. */
  onRename: ((name: string) => void) | undefined;
}

/** One function for all: a new one at each render would select the text again while the person types. */
const selectAll = (input: HTMLInputElement | null) => input?.select();

/** Who speaks. A click renames them, everywhere in the transcript. */
export function Speaker({ name, number, onRename }: Props) {
  const [renaming, setRenaming] = useState(false);
  function finish(text: string) {
    setRenaming(false);
    const next = text.trim();
    if (next !== '' && next !== name) onRename?.(next);
  }
  if (renaming)
    return (
      <input
        className={styles.speakerInput}
        aria-label={texts.newName(name)}
        maxLength={maxSpeakerLength}
        defaultValue={name}
        ref={selectAll}
        onBlur={(event) => finish(event.target.value)}
        onKeyDown={(event) => {
          event.stopPropagation();
          if (keyOf(event) === 'Enter') finish(event.currentTarget.value);
          if (keyOf(event) === 'Escape') finish(name);
        }}
      />
    );
  return (
    <span className={styles.speaker} data-number={number % 4}>
      {onRename ? (
        <button
          type="button"
          aria-label={texts.rename(name)}
          title={texts.rename(name)}
          onClick={() => setRenaming(true)}
        >
          {name}
        </button>
      ) : (
        name
      )}
    </span>
  );
}
