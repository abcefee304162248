import { useState } from 'react';
import type { WebhookDraft, WebhookEvent, WebhookPlace } from '../../resources/webhooks.ts';
import { commonStrings } from '../../strings/common.ts';
import { keyStrings } from '../../strings/keys.ts';
import { webhookStrings } from '../../strings/webhooks.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Checkbox, TextField } from '../../ui/field.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import styles from '../keys/keys.module.css';

const texts = webhookStrings;
const audit = ['audit.recorded'] as const;
// The texts name each event once.
const all = Object.keys(texts.events).filter((event) => event !== audit[0]) as WebhookEvent[];

interface Props {
  of: WebhookPlace | undefined;
  busy: boolean;
  error: Error | null;
  onClose(): void;
  onCreate(draft: WebhookDraft): void;
}

export function WebhookForm({ of, busy, error, onClose, onCreate }: Props) {
  const [url, setUrl] = useState('');
  const [chosen, setChosen] = useState<readonly WebhookEvent[]>(all);
  const [tried, setTried] = useState(false);
  function submit() {
    if (of) return onCreate({ url: url.trim(), events: [...audit], ...of });
    setTried(true);
    if (chosen.length > 0)
      onCreate({ url: url.trim(), events: all.filter((event) => chosen.includes(event)) });
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={texts.create}
      onSubmit={submit}
      footer={
        <>
          <Button onClick={onClose}>{commonStrings.cancel}</Button>
          <Button look="primary" type="submit" busy={busy}>
            {texts.create}
          </Button>
        </>
      }
    >
      <ErrorNotice error={error} />
      <TextField
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
    </Dialog>
  );
}
