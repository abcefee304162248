import { useState } from 'react';
import { keyStrings as texts } from '../../strings/keys.ts';
import { SelectField } from '../../ui/field.tsx';
import { SecretShown, Shown } from '../../ui/secret-shown.tsx';
import { type Client, connectionFor, curlFor } from './first-call.ts';

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
      <SelectField label={connect.client} value={client} onChoose={setClient} options={connect.clients} />
      <Shown label={connect.places[client]} text={connectionFor(client, apiKey)} copy={connect.copy} />
    </>
  );
}
