import { useState } from 'react';
import { explain, StenoError } from '../../api/errors.ts';
import { exportAddress } from '../../resources/own-data.ts';
import { deleteAccount, type Person } from '../../resources/session.ts';
import { accountStrings } from '../../strings/account.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { List, Row } from '../../ui/page.tsx';
import { Notice } from '../../ui/states.tsx';

const texts = accountStrings.delete;

/** Nothing brings it back, so the person is offered an export and types their address. */
export function DeleteAccount({ person, onDeleted }: { person: Person; onDeleted(): void }) {
  const [asking, setAsking] = useState(false);
  return (
    <List label={texts.title}>
      <Row
        detail={texts.detail}
        actions={
          <Button look="danger" onClick={() => setAsking(true)}>
            {texts.action}
          </Button>
        }
      >
        {texts.everything}
      </Row>
      {asking && <Ask person={person} onDeleted={onDeleted} onClose={() => setAsking(false)} />}
    </List>
  );
}

function Ask({
  person: { email, name },
  onDeleted,
  onClose,
}: {
  person: Person;
  onDeleted(): void;
  onClose(): void;
}) {
  const [typed, setTyped] = useState('');
  return (
    <FormDialog
      title={texts.question}
      description={texts.whatGoes}
      action={texts.action}
      look="danger"
      save={() => deleteAccount(typed.trim())}
      onSaved={onDeleted}
      onClose={onClose}
    >
      {(error) => (
        <>
          <p>{texts.whatStays}</p>
          <p>
            <a className="button" href={exportAddress} download>
              <Icon name="download" />
              {texts.exportFirst}
            </a>
          </p>
          {error && !isMistyped(error) && (
            <Notice tone="danger" title={texts.refused}>
              <p>{error instanceof StenoError ? error.message : explain(error).detail}</p>
            </Notice>
          )}
          <TextField
            label={texts.type(email ?? name)}
            autoComplete="off"
            required
            value={typed}
            error={isMistyped(error) ? texts.mistyped : undefined}
            onChange={(event) => setTyped(event.target.value)}
          />
        </>
      )}
    </FormDialog>
  );
}

const isMistyped = (error: Error | null) => error instanceof StenoError && error.code === 'validation_error';
