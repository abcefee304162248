import { useEffect, useRef } from 'react';
import { strings } from '../../strings.ts';
import { Button } from '../button.tsx';
import { CopyButton } from '../copy-button.tsx';
import { TextField } from '../field.tsx';
import { curlFor } from './first-call.ts';
import styles from './keys.module.css';

const words = strings.keys;

export interface IssuedKey {
  name: string;
  key: string;
  scopes: string[];
}

/** On the page rather than in a dialog: a slip of the finger must not close what is shown only once. */
export function NewKey({ issued, onDone }: { issued: IssuedKey; onDone(): void }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), []);
  const command = curlFor(issued);
  return (
    <section ref={place} className={styles.issued} tabIndex={-1} aria-label={words.created(issued.name)}>
      <h2>{words.created(issued.name)}</h2>
      <p>{words.once}</p>
      <Shown label={words.secret} text={issued.key} copy={words.copyKey} />
      <Shown label={words.tryIt} text={command} copy={words.copyCommand} />
      <div>
        <Button look="primary" icon="check" onClick={onDone}>
          {words.done}
        </Button>
      </div>
    </section>
  );
}

/** A field, for one can scroll along it and select it by keyboard. */
const Shown = ({ label, text, copy }: { label: string; text: string; copy: string }) => (
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
