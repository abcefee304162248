import { useMutation, useQueryClient } from '@tanstack/react-query';
import { deleteConversation } from '../../resources/conversations.ts';
import { askStrings as texts } from '../../strings/ask.ts';
import { commonStrings } from '../../strings/common.ts';
import { ConfirmDialog } from '../../ui/dialog.tsx';
import { toast, toastError } from '../../ui/toast.tsx';

interface Props {
  id: string;
  onClose(): void;
  onDeleted(): void;
}

export function DeleteConversation({ id, onClose, onDeleted }: Props) {
  const client = useQueryClient();
  const remove = useMutation({
    mutationFn: () => deleteConversation(client, id),
    onSuccess() {
      toast({ title: texts.deleted });
      onClose();
      onDeleted();
    },
    onError: toastError,
  });
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      title={texts.deleteTitle}
      description={texts.deleteDetail}
      action={commonStrings.delete}
      busy={remove.isPending}
      onConfirm={() => remove.mutate()}
    />
  );
}
