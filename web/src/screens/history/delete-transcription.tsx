import { useMutation, useQueryClient } from '@tanstack/react-query';
import { deleteTranscription } from '../../resources/transcriptions.ts';
import { historyStrings } from '../../strings/history.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { toast, toastError } from '../../ui/toast.tsx';

const texts = historyStrings;

interface Props {
  id: string;
  open: boolean;
  onClose(): void;
  onDeleted?: () => void;
}

export function DeleteTranscription({ id, open, onClose, onDeleted }: Props) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteTranscription(client, id),
    onSuccess() {
      onClose();
      onDeleted?.();
      toast({ title: texts.transcriptionDeleted });
    },
    onError: toastError,
  });
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title={texts.deleteTitle}
      description={texts.deleteDetail}
      action={texts.delete}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  );
}
