import { useEffect, useRef } from 'react';
import { strings } from '../../strings.ts';
import { Button } from '../button.tsx';
import { CopyButton } from '../copy-button.tsx';
import { TextField } from '../field.tsx';
import { curlFor } from './first-call.ts';
import styles from './keys.module.css';

const texts = strings.keys;

export interface IssuedKey {
  name: string;
  key: string;
  scopes: string[];
}

/** On the page and not in a dialog, so that a stray click cannot close a key that is shown only once. */
export function NewKey({ issued, onDone }: { issued: IssuedKey; onDone(): void }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.focus(), []);
  const command = curlFor(issued);
  return (
    <section ref={place} className={styles.issued} tabIndex={-1} aria-label={texts.created(issued.name)}>
      <h2>{texts.created(issued.name)}</h2>
      <p>{texts.once}</p>
      <Shown label={texts.secret} text={issued.key} copy={texts.copyKey} />
      <Shown label={texts.tryIt} text={command} copy={texts.copyCommand} />
      <div>
        <Button look="primary" icon="check" onClick={onDone}>
          {texts.done}
        </Button>
      </div>
    </section>
  );
}

/** An input, because people can scroll and select its text by keyboard. */
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
