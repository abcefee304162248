import { useState } from 'react';
import {
  createWebhook,
  type NewWebhook,
  type WebhookEvent,
  type WebhookPlace,
} from '../../resources/webhooks.ts';
import { keyStrings } from '../../strings/keys.ts';
import { webhookStrings as texts } from '../../strings/webhooks.ts';
import { Checkboxes, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

const audit = ['audit.recorded'] as const;
// The texts name each event once.
const all = Object.keys(texts.events).filter((event) => event !== audit[0]) as WebhookEvent[];

interface Props {
  of: WebhookPlace | undefined;
  onCreated(made: NewWebhook): unknown;
  onClose(): void;
}

export function WebhookForm({ of, onCreated, onClose }: Props) {
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
      save={(typed) => createWebhook({ url: typed('url'), events, ...of })}
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
      />
      {!of && (
        <Checkboxes
          legend={texts.when}
          options={all.map((value) => ({ value, label: texts.events[value] }))}
          chosen={chosen}
          onChoose={setChosen}
          error={tried && chosen.length === 0 && keyStrings.noScopes}
        />
      )}
    </FormDialog>
  );
}
