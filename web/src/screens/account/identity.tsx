import { useState } from 'react';
import { maxUserNameLength } from '../../api/limits.ts';
import {
  changeName,
  type Person,
  refreshPerson,
  requestAddressCode,
  setAddress,
} from '../../resources/session.ts';
import { accountStrings as texts } from '../../strings/account.ts';
import { commonStrings } from '../../strings/common.ts';
import { signInStrings } from '../../strings/sign-in.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { List, Row } from '../../ui/page.tsx';
import { toast } from '../../ui/toast.tsx';

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
  return (
    <FormDialog
      title={texts.changeName}
      save={(typed) => changeName(typed('name'))}
      onSaved={refreshPerson}
      onClose={onClose}
    >
      <TextField name="name" label={texts.name} required maxLength={maxUserNameLength} defaultValue={name} />
    </FormDialog>
  );
}

const refusals = {
  invalid_code: signInStrings.wrongCode,
  conflict: texts.emailTaken,
  validation_error: signInStrings.badEmail,
};
const emailField = {
  name: 'email',
  label: signInStrings.email,
  type: 'email',
  autoComplete: 'email',
  refusals,
};
const codeField = {
  name: 'code',
  refusals,
  label: signInStrings.code,
  inputMode: 'numeric',
  autoComplete: 'one-time-code',
  autoFocus: true,
} as const;

/** Two steps: the address, then the code that was mailed to it. */
function ChangeEmail({ title, onClose }: { title: string; onClose(): void }) {
  /** The new address, once a code was sent there. */
  const [email, setEmail] = useState<string>();
  const isSent = email !== undefined;
  return (
    <FormDialog
      title={title}
      description={isSent ? texts.codeSent(email) : texts.emailDetail}
      action={isSent ? commonStrings.save : signInStrings.send}
      hasNext={!isSent}
      save={async (typed) => {
        if (isSent) await setAddress(email, typed('code'));
        else await requestAddressCode(typed('email'));
        return typed('email');
      }}
      onSaved={(address) => {
        if (!isSent) return setEmail(address);
        toast({ title: texts.emailSet(email) });
        return refreshPerson();
      }}
      onClose={onClose}
    >
      <TextField key={isSent ? 'code' : 'email'} {...(isSent ? codeField : emailField)} required />
    </FormDialog>
  );
}
