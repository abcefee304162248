import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { explain, StenoError } from '../../api/errors.ts';
import { exportAddress } from '../../resources/own-data.ts';
import { deleteAccount, type Person } from '../../resources/session.ts';
import { accountStrings } from '../../strings/account.ts';
import { commonStrings } from '../../strings/common.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
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
  const remove = useMutation({ mutationFn: () => deleteAccount(typed.trim()), onSuccess: onDeleted });
  const mistyped = remove.error instanceof StenoError && remove.error.code === 'validation_error';
  return (
    <Dialog
      open
      onClose={onClose}
      title={texts.question}
      description={texts.whatGoes}
      onSubmit={() => remove.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{commonStrings.cancel}</Button>
          <Button look="danger" type="submit" busy={remove.isPending}>
            {texts.action}
          </Button>
        </>
      }
    >
      <p>{texts.whatStays}</p>
      <p>
        <a className="button" href={exportAddress} download>
          <Icon name="download" />
          {texts.exportFirst}
        </a>
      </p>
      {remove.error && !mistyped && (
        <Notice tone="danger" title={texts.refused}>
          <p>{remove.error instanceof StenoError ? remove.error.message : explain(remove.error).detail}</p>
        </Notice>
      )}
      <TextField
        label={texts.type(email ?? name)}
        autoComplete="off"
        required
        value={typed}
        error={mistyped ? texts.mistyped : undefined}
        onChange={(event) => setTyped(event.target.value)}
      />
    </Dialog>
  );
}
