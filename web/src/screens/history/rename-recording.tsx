import { useState } from 'react';
import { maxRecordingNameLength } from '../../api/limits.ts';
import { type Recording, renameRecording } from '../../resources/recordings.ts';
import { historyStrings as texts } from '../../strings/history.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

export function RenameRecording({ recording, onClose }: { recording: Recording; onClose(): void }) {
  const [name, setName] = useState(recording.name);
  return (
    <FormDialog
      title={texts.rename}
      isComplete={() => name.trim() !== ''}
      save={() => renameRecording(recording, name.trim())}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={texts.name}
        maxLength={maxRecordingNameLength}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </FormDialog>
  );
}
