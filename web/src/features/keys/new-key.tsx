import { type ReactNode, useEffect, useRef, useState } from 'react';
import { keyStrings } from '../../strings/keys.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { type Client, connectionFor, curlFor } from './first-call.ts';
import styles from './keys.module.css';

const texts = keyStrings;

export interface IssuedKey {
  name: string;
  key: string;
  scopes: string[];
}

/** On the page and not in a dialog, so that a stray click cannot close a key that is shown only once. */
export function NewKey({ issued, onDone }: { issued: IssuedKey; onDone(): void }) {
  return (
    <SecretShown
      title={texts.created(issued.name)}
      detail={texts.once}
      label={texts.secret}
      text={issued.key}
      copy={texts.copyKey}
      onDone={onDone}
    >
      <Shown label={texts.tryIt} text={curlFor(issued)} copy={texts.copyCommand} />
      <ForAssistant apiKey={issued.key} />
    </SecretShown>
  );
}

function ForAssistant({ apiKey }: { apiKey: string }) {
  const [client, setClient] = useState<Client>('claudeCode');
  const { connect } = texts;
  return (
    <>
      <SelectField
        label={connect.client}
        value={client}
        // The options below are all there is to choose from.
        onChange={(event) => setClient(event.target.value as Client)}
      >
        {Object.entries(connect.clients).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      <Shown label={connect.places[client]} text={connectionFor(client, apiKey)} copy={connect.copy} />
    </>
  );
}

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
