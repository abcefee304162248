import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { explain, StenoError } from '../../api/errors.ts';
import { addPerson } from '../../resources/operator.ts';
import { commonStrings } from '../../strings/common.ts';
import { operatorStrings } from '../../strings/operator.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';

const texts = operatorStrings.people;

interface Props {
  onAdded(added: { name: string; link: string | null }): void;
  onClose(): void;
}

export function AddPerson({ onAdded, onClose }: Props) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const add = useMutation({
    mutationFn: () => addPerson({ name: name.trim(), email: email.trim() }),
    onSuccess(added) {
      onClose();
      onAdded(added);
    },
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={texts.add}
      onSubmit={() => add.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{commonStrings.cancel}</Button>
          <Button look="primary" type="submit" busy={add.isPending}>
            {texts.add}
          </Button>
        </>
      }
    >
      <TextField
        label={texts.name}
        required
        autoFocus
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField
        type="email"
        label={texts.email}
        required
        error={add.error ? problemOf(add.error) : undefined}
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
    </Dialog>
  );
}

const problemOf = (error: Error) =>
  error instanceof StenoError && error.code === 'conflict' ? texts.alreadyThere : explain(error).detail;
