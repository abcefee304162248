import { useState } from 'react';
import { commonStrings } from '../../strings/common.ts';
import { keyStrings } from '../../strings/keys.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';

const texts = keyStrings;
const graces = { day: 24, hour: 1, none: 0 };
type Grace = keyof typeof graces;

interface Props {
  name: string;
  busy: boolean;
  onClose(): void;
  onRotate(graceHours: number): void;
}

export function RotateDialog({ name, busy, onClose, onRotate }: Props) {
  const [grace, setGrace] = useState<Grace>('day');
  return (
    <Dialog
      open
      onClose={onClose}
      title={texts.rotateTitle(name)}
      description={texts.rotateDetail}
      onSubmit={() => onRotate(graces[grace])}
      footer={
        <>
          <Button onClick={onClose}>{commonStrings.cancel}</Button>
          <Button look="primary" type="submit" busy={busy}>
            {texts.rotate}
          </Button>
        </>
      }
    >
      <SelectField
        label={texts.grace}
        value={grace}
        // The options below are all there is to choose from.
        onChange={(event) => setGrace(event.target.value as Grace)}
      >
        {Object.entries(texts.graces).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
    </Dialog>
  );
}
