import { useState } from 'react';
import { explain, StenoError } from '../../api/errors.ts';
import { addPerson } from '../../resources/operator.ts';
import { operatorStrings } from '../../strings/operator.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

const texts = operatorStrings.people;

interface Props {
  onAdded(added: { name: string; link: string | null }): void;
  onClose(): void;
}

export function AddPerson({ onAdded, onClose }: Props) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  return (
    <FormDialog
      title={texts.add}
      action={texts.add}
      save={() => addPerson({ name: name.trim(), email: email.trim() })}
      onSaved={onAdded}
      onClose={onClose}
    >
      {(error) => (
        <>
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
            error={error ? problemOf(error) : undefined}
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </>
      )}
    </FormDialog>
  );
}

const problemOf = (error: Error) =>
  error instanceof StenoError && error.code === 'conflict' ? texts.alreadyThere : explain(error).detail;
