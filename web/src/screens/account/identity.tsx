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
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
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
  const [typed, setTyped] = useState(name);
  return (
    <FormDialog
      title={texts.changeName}
      save={() => changeName(typed.trim())}
      onSaved={refreshPerson}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={texts.name}
        required
        maxLength={maxUserNameLength}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </FormDialog>
  );
}

const emailField = { label: signInStrings.email, type: 'email', autoComplete: 'email' };
const codeField = {
  label: signInStrings.code,
  inputMode: 'numeric',
  autoComplete: 'one-time-code',
  autoFocus: true,
} as const;

/** Two steps: the address, then the code that was mailed to it. */
function ChangeEmail({ title, onClose }: { title: string; onClose(): void }) {
  const [email, setEmail] = useState('');
  const [code, setCode] = useState('');
  const [isSent, setSent] = useState(false);
  return (
    <FormDialog
      title={title}
      description={isSent ? texts.codeSent(email.trim()) : texts.emailDetail}
      action={isSent ? commonStrings.save : signInStrings.send}
      hasNext={!isSent}
      save={() => (isSent ? setAddress(email.trim(), code.trim()) : requestAddressCode(email.trim()))}
      onSaved={() => {
        if (!isSent) return setSent(true);
        toast({ title: texts.emailSet(email.trim()) });
        return refreshPerson();
      }}
      onClose={onClose}
    >
      {(error) => (
        <TextField
          key={isSent ? 'code' : 'email'}
          {...(isSent ? codeField : emailField)}
          required
          value={isSent ? code : email}
          error={error ? problemOf(error) : undefined}
          onChange={(event) => (isSent ? setCode : setEmail)(event.target.value)}
        />
      )}
    </FormDialog>
  );
}

function problemOf(error: Error): string {
  const code = error instanceof StenoError ? error.code : '';
  if (code === 'invalid_code') return signInStrings.wrongCode;
  if (code === 'conflict') return texts.emailTaken;
  return code === 'validation_error' ? signInStrings.badEmail : explain(error).detail;
}
