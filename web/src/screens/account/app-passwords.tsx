import { useState } from 'react';
import { maxAppPasswordNameLength } from '../../api/limits.ts';
import { formatRelative } from '../../lib/format.ts';
import { useShownOnce } from '../../lib/shown-once.ts';
import {
  type AppPassword,
  createAppPassword,
  type NewAppPassword,
  refreshAppPasswords,
  revokeAppPassword,
  useAppPasswords,
} from '../../resources/app-passwords.ts';
import { refreshSessions } from '../../resources/sessions.ts';
import { accountStrings } from '../../strings/account.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Row, Section } from '../../ui/page.tsx';
import { SecretShown } from '../../ui/secret-shown.tsx';
import { useConfirm } from '../../ui/use-confirm.tsx';

const texts = accountStrings.appPasswords;

/** For apps that ask for an address and a password. */
export function AppPasswords({ email }: { email: string | null }) {
  const [naming, setNaming] = useState(false);
  const made = useShownOnce<NewAppPassword>('app password');
  return (
    <Section
      title={texts.title}
      actions={
        email !== null && (
          <Button icon="plus" onClick={() => setNaming(true)}>
            {texts.create}
          </Button>
        )
      }
    >
      {made.values.map((one) => (
        <SecretShown
          key={one.id}
          title={texts.created(one.name)}
          detail={texts.once(email ?? '')}
          label={texts.password}
          text={one.password}
          copy={texts.copy}
          onDone={() => made.dismiss(one)}
        />
      ))}
      {email === null ? <p className="muted">{texts.noEmail}</p> : <Existing />}
      {naming && <NamePassword onMade={made.show} onClose={() => setNaming(false)} />}
    </Section>
  );
}

function Existing() {
  const passwords = useAppPasswords();
  const [question, confirm] = useConfirm();
  const revoke = ({ id, name }: AppPassword) =>
    confirm({
      title: texts.revokeThis(name),
      description: texts.revokeDetail,
      action: texts.revoke,
      async run() {
        await revokeAppPassword(id);
        await Promise.all([refreshAppPasswords(), refreshSessions()]);
      },
      done: texts.revoked,
    });
  return (
    <>
      <LoadedList from={passwords} lines={2} label={texts.title} empty={texts.none}>
        {(one) => (
          <Row
            key={one.id}
            detail={`${texts.since(formatRelative(one.created_at))} · ${
              one.used_at === null ? texts.unused : texts.used(formatRelative(one.used_at))
            }`}
            actions={
              <Button look="quiet" aria-label={texts.revokeThis(one.name)} onClick={() => revoke(one)}>
                {texts.revoke}
              </Button>
            }
          >
            {one.name}
          </Row>
        )}
      </LoadedList>
      {question}
    </>
  );
}

function NamePassword({ onMade, onClose }: { onMade(made: NewAppPassword): void; onClose(): void }) {
  return (
    <FormDialog
      title={texts.create}
      description={texts.createDetail}
      action={texts.make}
      save={(typed) => createAppPassword(typed('name'))}
      onSaved={(made) => {
        onMade(made);
        return refreshAppPasswords();
      }}
      onClose={onClose}
    >
      <TextField name="name" label={texts.name} required maxLength={maxAppPasswordNameLength} />
    </FormDialog>
  );
}
