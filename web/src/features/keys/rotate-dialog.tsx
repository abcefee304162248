import { useState } from 'react';
import { keyStrings as texts } from '../../strings/keys.ts';
import { SelectField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

const graces = { day: 24, hour: 1, none: 0 };
type Grace = keyof typeof graces;

interface Props<Made> {
  name: string;
  rotate(graceHours: number): Promise<Made>;
  onRotated(made: Made): unknown;
  onClose(): void;
}

export function RotateDialog<Made>({ name, rotate, onRotated, onClose }: Props<Made>) {
  const [grace, setGrace] = useState<Grace>('day');
  return (
    <FormDialog
      title={texts.rotateTitle(name)}
      description={texts.rotateDetail}
      action={texts.rotate}
      save={() => rotate(graces[grace])}
      onSaved={onRotated}
      onClose={onClose}
    >
      <SelectField label={texts.grace} value={grace} onChoose={setGrace} options={texts.graces} />
    </FormDialog>
  );
}
