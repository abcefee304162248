import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
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
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { LoadedList } from '../../ui/loaded.tsx';
import { Row, Section } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { useConfirm } from '../../ui/use-confirm.tsx';
import { nameDevice } from './device.ts';

const texts = accountStrings.passkeys;

/** Keys of this and other devices with which the person signs in without a code. */
export function Passkeys() {
  const add = useMutation({
    mutationFn: () => addPasskey(nameDevice(navigator.userAgent)),
    onSuccess() {
      toast({ title: texts.added });
      return refreshPasskeys();
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
  const passkeys = usePasskeys();
  const [renamed, setRenamed] = useState<Passkey>();
  const [question, confirm] = useConfirm();
  const remove = ({ id, name }: Passkey) =>
    confirm({
      title: texts.removeThis(name),
      description: texts.removeDetail,
      action: texts.remove,
      run: () => removePasskey(id).then(refreshPasskeys),
      done: texts.removed,
    });
  return (
    <>
      <LoadedList from={passkeys} lines={2} label={texts.title} empty={texts.none}>
        {(passkey) => (
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
                  onClick={() => setRenamed(passkey)}
                >
                  {texts.rename}
                </Button>
                <Button
                  look="quiet"
                  aria-label={texts.removeThis(passkey.name)}
                  onClick={() => remove(passkey)}
                >
                  {texts.remove}
                </Button>
              </>
            }
          >
            {passkey.name}
          </Row>
        )}
      </LoadedList>
      {renamed && <Rename passkey={renamed} onClose={() => setRenamed(undefined)} />}
      {question}
    </>
  );
}

function Rename({ passkey, onClose }: { passkey: Passkey; onClose(): void }) {
  return (
    <FormDialog
      title={texts.renameThis(passkey.name)}
      save={(typed) => renamePasskey(passkey.id, typed('name'))}
      onSaved={refreshPasskeys}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={texts.name}
        required
        maxLength={maxPasskeyNameLength}
        defaultValue={passkey.name}
      />
    </FormDialog>
  );
}
