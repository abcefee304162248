import { maxRecordingNameLength } from '../../api/limits.ts';
import { type Recording, renameRecording } from '../../resources/recordings.ts';
import { historyStrings as texts } from '../../strings/history.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

export function RenameRecording({ recording, onClose }: { recording: Recording; onClose(): void }) {
  return (
    <FormDialog
      title={texts.rename}
      save={(typed) => renameRecording(recording, typed('name'))}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={texts.name}
        maxLength={maxRecordingNameLength}
        required
        defaultValue={recording.name}
      />
    </FormDialog>
  );
}
