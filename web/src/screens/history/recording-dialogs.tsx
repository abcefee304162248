import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { maxRecordingNameLength } from '../../api/limits.ts';
import {
  deleteRecording,
  type Recording,
  refreshRecordings,
  renameRecording,
} from '../../resources/recordings.ts';
import { commonStrings } from '../../strings/common.ts';
import { historyStrings } from '../../strings/history.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ErrorNotice } from '../../ui/states.tsx';
import { toast, toastError } from '../../ui/toast.tsx';

const texts = historyStrings;

interface Props {
  recording: Recording;
  onClose(): void;
}

export function RenameRecording({ recording, onClose }: Props) {
  const client = useQueryClient();
  const [name, setName] = useState(recording.name);
  const rename = useMutation({
    mutationFn: () => renameRecording(client, recording, name.trim()),
    onSuccess: onClose,
  });
  return (
    <Dialog
      open
      onClose={onClose}
      title={texts.rename}
      onSubmit={() => name.trim() !== '' && rename.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{commonStrings.cancel}</Button>
          <Button look="primary" type="submit" busy={rename.isPending}>
            {commonStrings.save}
          </Button>
        </>
      }
    >
      <ErrorNotice error={rename.error} />
      <TextField
        label={texts.name}
        maxLength={maxRecordingNameLength}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
    </Dialog>
  );
}

export function DeleteRecording({ recording, onClose }: Props) {
  const client = useQueryClient();
  const remove = useMutation({
    // Its transcription goes too, or it would come back as a line without audio.
    mutationFn: () => deleteRecording(recording.id, true),
    async onSuccess() {
      onClose();
      toast({ title: texts.deleted(recording.name) });
      await refreshRecordings(client);
    },
    onError: toastError,
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={texts.deleteRecordingTitle}
      description={texts.deleteRecordingDetail}
      action={texts.delete}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  );
}
