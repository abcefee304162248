import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { explain, StenoError } from '../../api/errors.ts';
import { maxUserNameLength } from '../../api/limits.ts';
import {
  changeName,
  type Person,
  refreshPerson,
  requestAddressCode,
  setAddress,
} from '../../resources/session.ts';
import { accountStrings } from '../../strings/account.ts';
import { commonStrings } from '../../strings/common.ts';
import { signInStrings } from '../../strings/sign-in.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { List, Row } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';

const texts = accountStrings;

/** What the person is called, and the address they sign in with. */
export function Identity({ person }: { person: Person }) {
  const [changing, setChanging] = useState<'name' | 'email'>();
  const close = () => setChanging(undefined);
  const emailAction = person.email === null ? texts.addEmail : texts.changeEmail;
  return (
    <List label={texts.identity}>
      <Row
        detail={texts.name}
        actions={<Button onClick={() => setChanging('name')}>{texts.changeName}</Button>}
      >
        {person.name}
      </Row>
      <Row
        detail={person.email === null ? texts.noEmailDetail : texts.email}
        actions={<Button onClick={() => setChanging('email')}>{emailAction}</Button>}
      >
        {person.email ?? texts.noEmail}
      </Row>
      {changing === 'name' && <ChangeName name={person.name} onClose={close} />}
      {changing === 'email' && <ChangeEmail title={emailAction} onClose={close} />}
    </List>
  );
}

function ChangeName({ name, onClose }: { name: string; onClose(): void }) {
  const client = useQueryClient();
  const [typed, setTyped] = useState(name);
  const save = useMutation({
    mutationFn: () => changeName(typed.trim()),
    onSuccess() {
      onClose();
      return refreshPerson(client);
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={texts.changeName}
      onSubmit={() => save.mutate()}
      footer={<Footer action={commonStrings.save} busy={save.isPending} onClose={onClose} />}
    >
      <TextField
        label={texts.name}
        required
        maxLength={maxUserNameLength}
        value={typed}
        error={save.error ? explain(save.error).detail : undefined}
        onChange={(event) => setTyped(event.target.value)}
      />
    </Dialog>
  );
}

/** Two steps: the address, then the code that was mailed to it. */
function ChangeEmail({ title, onClose }: { title: string; onClose(): void }) {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const send = useMutation({ mutationFn: () => requestAddressCode(email.trim()) });
  const save = useMutation({
    mutationFn: () => setAddress(email.trim(), code.trim()),
    onSuccess() {
      toast({ title: texts.emailSet(email.trim()) });
      onClose();
      return refreshPerson(client);
    },
  });
  const step = send.isSuccess ? save : send;
  return (
    <Dialog
      open
      onClose={onClose}
      title={title}
      description={send.isSuccess ? texts.codeSent(email.trim()) : texts.emailDetail}
      onSubmit={() => step.mutate()}
      footer={
        <Footer
          action={send.isSuccess ? commonStrings.save : signInStrings.send}
          busy={step.isPending}
          onClose={onClose}
        />
      }
    >
      {send.isSuccess ? (
        <TextField
          key="code"
          label={signInStrings.code}
          inputMode="numeric"
          autoComplete="one-time-code"
          autoFocus
          required
          value={code}
          error={save.error ? problemOf(save.error) : undefined}
          onChange={(event) => setCode(event.target.value)}
        />
      ) : (
        <TextField
          key="email"
          label={signInStrings.email}
          type="email"
          autoComplete="email"
          required
          value={email}
          error={send.error ? problemOf(send.error) : undefined}
          onChange={(event) => setEmail(event.target.value)}
        />
      )}
    </Dialog>
  );
}

const Footer = ({ action, busy, onClose }: { action: string; busy: boolean; onClose(): void }) => (
  <>
    <Button onClick={onClose}>{commonStrings.cancel}</Button>
    <Button look="primary" type="submit" busy={busy}>
      {action}
    </Button>
  </>
);

function problemOf(error: Error): string {
  const code = error instanceof StenoError ? error.code : '';
  if (code === 'invalid_code') return signInStrings.wrongCode;
  if (code === 'conflict') return texts.emailTaken;
  return code === 'validation_error' ? signInStrings.badEmail : explain(error).detail;
}
