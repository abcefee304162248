import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { explain } from '../../api/errors.ts';
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
import { commonStrings } from '../../strings/common.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { SecretShown } from '../../ui/keys/new-key.tsx';
import { List, Row, Section } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast, toastError } from '../../ui/toast.tsx';

const texts = accountStrings.appPasswords;

/** For apps that ask for an address and a password. */
export function AppPasswords({ email }: { email: string | null }) {
  const [naming, setNaming] = useState(false);
  const [made, setMade] = useShownOnce<NewAppPassword>('app password');
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
      {made && (
        <SecretShown
          title={texts.created(made.name)}
          detail={texts.once(email ?? '')}
          label={texts.password}
          text={made.password}
          copy={texts.copy}
          onDone={() => setMade(undefined)}
        />
      )}
      {email === null ? <p className="muted">{texts.noEmail}</p> : <Existing />}
      {naming && <NamePassword onMade={setMade} onClose={() => setNaming(false)} />}
    </Section>
  );
}

function Existing() {
  const client = useQueryClient();
  const passwords = useAppPasswords();
  const [chosen, setChosen] = useState<AppPassword>();
  const close = () => setChosen(undefined);
  const revoke = useMutation({
    mutationFn: revokeAppPassword,
    async onSuccess() {
      close();
      toast({ title: texts.revoked });
      await Promise.all([refreshAppPasswords(client), refreshSessions(client)]);
    },
    onError: toastError,
  });
  if (passwords.isPending) return <Skeleton lines={2} />;
  if (passwords.isError) return <ErrorState error={passwords.error} onRetry={passwords.refetch} />;
  if (passwords.data.length === 0) return <p className="muted">{texts.none}</p>;
  return (
    <List label={texts.title}>
      {passwords.data.map((one) => (
        <Row
          key={one.id}
          detail={`${texts.since(formatRelative(one.created_at))} · ${
            one.used_at === null ? texts.unused : texts.used(formatRelative(one.used_at))
          }`}
          actions={
            <Button look="quiet" aria-label={texts.revokeThis(one.name)} onClick={() => setChosen(one)}>
              {texts.revoke}
            </Button>
          }
        >
          {one.name}
        </Row>
      ))}
      <ConfirmDialog
        open={chosen !== undefined}
        onClose={close}
        title={chosen ? texts.revokeThis(chosen.name) : ''}
        description={texts.revokeDetail}
        action={texts.revoke}
        busy={revoke.isPending}
        onConfirm={() => chosen && revoke.mutate(chosen.id)}
      />
    </List>
  );
}

function NamePassword({ onMade, onClose }: { onMade(made: NewAppPassword): void; onClose(): void }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => createAppPassword(name.trim()),
    onSuccess(made) {
      onClose();
      onMade(made);
      return refreshAppPasswords(client);
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={texts.create}
      description={texts.createDetail}
      onSubmit={() => create.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{commonStrings.cancel}</Button>
          <Button look="primary" type="submit" busy={create.isPending}>
            {texts.make}
          </Button>
        </>
      }
    >
      <TextField
        label={texts.name}
        required
        maxLength={maxAppPasswordNameLength}
        value={name}
        error={create.error ? explain(create.error).detail : undefined}
        onChange={(event) => setName(event.target.value)}
      />
    </Dialog>
  );
}
