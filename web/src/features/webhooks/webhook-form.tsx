import { useState } from 'react';
import {
  createWebhook,
  type NewWebhook,
  type WebhookEvent,
  type WebhookPlace,
} from '../../resources/webhooks.ts';
import { keyStrings } from '../../strings/keys.ts';
import { webhookStrings } from '../../strings/webhooks.ts';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import styles from '../keys/keys.module.css';

const texts = webhookStrings;
const audit = ['audit.recorded'] as const;
// The texts name each event once.
const all = Object.keys(texts.events).filter((event) => event !== audit[0]) as WebhookEvent[];

interface Props {
  of: WebhookPlace | undefined;
  onCreated(made: NewWebhook): unknown;
  onClose(): void;
}

export function WebhookForm({ of, onCreated, onClose }: Props) {
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState<readonly WebhookEvent[]>(all);
  const [tried, setTried] = useState(false);
  const events = of ? [...audit] : all.filter((event) => chosen.includes(event));
  return (
    <FormDialog
      title={texts.create}
      action={texts.create}
      isComplete={() => {
        setTried(true);
        return events.length > 0;
      }}
      save={() => createWebhook({ url: url.trim(), events, ...of })}
      onSaved={onCreated}
      onClose={onClose}
    >
      <TextField
        name="url"
        label={texts.url}
        hint={texts.urlHint}
        placeholder="https://example.org/steno"
        type="url"
        required
        value={url}
        onChange={(event) => setUrl(event.target.value)}
      />
      {!of && (
        <fieldset className={styles.scopes}>
          <legend className="field-label">{texts.when}</legend>
          {all.map((event) => (
            <Checkbox
              key={event}
              label={texts.events[event]}
              checked={chosen.includes(event)}
              onChange={({ target }) =>
                setChosen(target.checked ? [...chosen, event] : chosen.filter((one) => one !== event))
              }
            />
          ))}
          {tried && chosen.length === 0 && (
            <p className="field-error" role="alert">
              {keyStrings.noScopes}
            </p>
          )}
        </fieldset>
      )}
    </FormDialog>
  );
}
