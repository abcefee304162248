import { useState } from 'react';
import { useCommands } from '../lib/commands.ts';
import { keyOf } from '../lib/key-of.ts';
import { commonStrings } from '../strings/common.ts';
import { IconButton } from './button.tsx';
import styles from './find-bar.module.css';
import { Status } from './status.tsx';

const texts = commonStrings.find;

/** What is searched for, undefined while the bar is not open, and which place is shown. Ctrl+F opens it. */
export function useFinding() {
  const [wanted, setWanted] = useState<string>();
  const [at, show] = useState(0);
  function find(next: string | undefined) {
    setWanted(next);
    show(0);
  }
  useCommands([{ id: 'find', run: () => setWanted((before) => before ?? '') }]);
  return { wanted, at, show, find };
}

interface Props {
  label: string;
  finding: ReturnType<typeof useFinding>;
  /** How many places there are. */
  count: number;
  onClose?(): void;
}

/** Finds what the browser's own search does not: it knows only what is drawn. */
export function FindBar({ label, finding: { wanted, at, show, find }, count, onClose }: Props) {
  if (wanted === undefined) return null;
  const go = (by: number) => show((at + by + count) % Math.max(1, count));
  function close() {
    find(undefined);
    onClose?.();
  }
  return (
    <search className={styles.find}>
      <input
        type="search"
        // biome-ignore lint/a11y/noAutofocus: it appears when a person asks for it
        autoFocus
        aria-label={label}
        placeholder={label}
        value={wanted}
        onChange={({ target }) => find(target.value)}
        onKeyDown={(event) => {
          const key = keyOf(event);
          if (key === 'Enter') go(event.shiftKey ? -1 : 1);
          else if (key === 'Escape') close();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <Status className="muted numbers">
        {wanted.trim() === '' ? '' : texts.found(count === 0 ? 0 : at + 1, count)}
      </Status>
      <IconButton icon="back" label={texts.before} onClick={() => go(-1)} />
      <IconButton icon="next" label={texts.next} onClick={() => go(1)} />
      <IconButton icon="close" label={commonStrings.close} onClick={close} />
    </search>
  );
}
