import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { explain } from '../../api/errors.ts';
import { formatRelative } from '../../lib/format.ts';
import {
  addPasskey,
  isCancelled,
  isKnownHere,
  maxPasskeyNameLength,
  type Passkey,
  refreshPasskeys,
  removePasskey,
  renamePasskey,
  usePasskeys,
} from '../../resources/passkeys.ts';
import { accountStrings } from '../../strings/account.ts';
import { commonStrings } from '../../strings/common.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { List, Row, Section } from '../../ui/page.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { nameDevice } from './device.ts';

const texts = accountStrings.passkeys;

/** Keys of this and other devices with which the person signs in without a code. */
export function Passkeys() {
  const client = useQueryClient();
  const add = useMutation({
    mutationFn: () => addPasskey(nameDevice(navigator.userAgent)),
    onSuccess() {
      toast({ title: texts.added });
      return refreshPasskeys(client);
    },
    onError(error) {
      if (isKnownHere(error)) toast({ title: texts.knownHere });
      else if (!isCancelled(error)) toastError(error);
    },
  });
  return (
    <Section
      title={texts.title}
      actions={
        <Button icon="plus" busy={add.isPending} onClick={() => add.mutate()}>
          {texts.add}
        </Button>
      }
    >
      <PasskeyList />
    </Section>
  );
}

function PasskeyList() {
  const client = useQueryClient();
  const passkeys = usePasskeys();
  const [chosen, setChosen] = useState<{ passkey: Passkey; act: 'rename' | 'remove' }>();
  const close = () => setChosen(undefined);
  const remove = useMutation({
    mutationFn: removePasskey,
    onSuccess() {
      close();
      toast({ title: texts.removed });
      return refreshPasskeys(client);
    },
    onError: toastError,
  });
  if (passkeys.isPending) return <Skeleton lines={2} />;
  if (passkeys.isError) return <ErrorState error={passkeys.error} onRetry={passkeys.refetch} />;
  if (passkeys.data.length === 0) return <p className="muted">{texts.none}</p>;
  return (
    <List label={texts.title}>
      {passkeys.data.map((passkey) => (
        <Row
          key={passkey.id}
          detail={`${texts.since(formatRelative(passkey.createdAt))} · ${
            passkey.lastUsedAt === null ? texts.unused : texts.used(formatRelative(passkey.lastUsedAt))
          }`}
          actions={
            <>
              <Button
                look="quiet"
                aria-label={texts.renameThis(passkey.name)}
                onClick={() => setChosen({ passkey, act: 'rename' })}
              >
                {texts.rename}
              </Button>
              <Button
                look="quiet"
                aria-label={texts.removeThis(passkey.name)}
                onClick={() => setChosen({ passkey, act: 'remove' })}
              >
                {texts.remove}
              </Button>
            </>
          }
        >
          {passkey.name}
        </Row>
      ))}
      {chosen?.act === 'rename' && <Rename passkey={chosen.passkey} onClose={close} />}
      <ConfirmDialog
        open={chosen?.act === 'remove'}
        onClose={close}
        title={chosen ? texts.removeThis(chosen.passkey.name) : ''}
        description={texts.removeDetail}
        action={texts.remove}
        busy={remove.isPending}
        onConfirm={() => chosen && remove.mutate(chosen.passkey.id)}
      />
    </List>
  );
}

function Rename({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  const client = useQueryClient();
  const [name, setName] = useState(passkey.name);
  const save = useMutation({
    mutationFn: () => renamePasskey(passkey.id, name.trim()),
    onSuccess() {
      onClose();
      return refreshPasskeys(client);
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={texts.renameThis(passkey.name)}
      onSubmit={() => save.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{commonStrings.cancel}</Button>
          <Button look="primary" type="submit" busy={save.isPending}>
            {commonStrings.save}
          </Button>
        </>
      }
    >
      <TextField
        label={texts.name}
        required
        maxLength={maxPasskeyNameLength}
        value={name}
        error={save.error ? explain(save.error).detail : undefined}
        onChange={(event) => setName(event.target.value)}
      />
    </Dialog>
  );
}
