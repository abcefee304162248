import { keyOf } from '../lib/key-of.ts';
import { commonStrings } from '../strings/common.ts';
import { IconButton } from './button.tsx';
import styles from './find-bar.module.css';
import { Status } from './status.tsx';

const texts = commonStrings.find;

interface Props {
  label: string;
  wanted: string;
  onChange(wanted: string): void;
  /** How many places there are, and which one is shown. */
  count: number;
  at: number;
  onShow(at: number): void;
  onClose(): void;
}

/** Finds what the browser's own search does not: it knows only what is drawn. */
export function FindBar({ label, wanted, onChange, count, at, onShow, onClose }: Props) {
  const go = (by: number) => onShow((at + by + count) % Math.max(1, count));
  return (
    <search className={styles.find}>
      <input
        type="search"
        // biome-ignore lint/a11y/noAutofocus: it appears when a person asks for it
        autoFocus
        aria-label={label}
        placeholder={label}
        value={wanted}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(event) => {
          const key = keyOf(event);
          if (key === 'Enter') go(event.shiftKey ? -1 : 1);
          else if (key === 'Escape') onClose();
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
      <IconButton icon="close" label={commonStrings.close} onClick={onClose} />
    </search>
  );
}
