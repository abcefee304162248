import { type ReactNode, useEffect, useRef } from 'react';
import { commonStrings } from '../strings/common.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { TextField } from './field.tsx';
import styles from './secret-shown.module.css';

interface SecretProps {
  title: string;
  detail: string;
  label: string;
  text: string;
  copy: string;
  onDone(): void;
  children?: ReactNode;
}

export function SecretShown({ title, detail, label, text, copy, onDone, children }: SecretProps) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), []);
  return (
    <section ref={place} className={styles.issued} tabIndex={-1} aria-label={title}>
      <h2>{title}</h2>
      <p>{detail}</p>
      <Shown label={label} text={text} copy={copy} />
      {children}
      <div>
        <Button look="primary" icon="check" onClick={onDone}>
          {commonStrings.isKept}
        </Button>
      </div>
    </section>
  );
}

/** An input, because people can scroll and select its text by keyboard. */
export const Shown = ({ label, text, copy }: { label: string; text: string; copy: string }) => (
  <div className={styles.shown}>
    <TextField
      label={label}
      readOnly
      className={styles.code}
      value={text}
      onFocus={(event) => event.target.select()}
    />
    <CopyButton text={text} label={copy} />
  </div>
);
