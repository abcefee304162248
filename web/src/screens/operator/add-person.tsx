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
  return (
    <FormDialog
      title={texts.add}
      action={texts.add}
      save={(typed) => addPerson({ name: typed('name'), email: typed('email') })}
      onSaved={onAdded}
      onClose={onClose}
    >
      <TextField name="name" label={texts.name} required autoFocus />
      <TextField
        type="email"
        name="email"
        label={texts.email}
        required
        refusals={{ conflict: texts.alreadyThere }}
      />
    </FormDialog>
  );
}
