import type { ReactNode } from 'react';
import { deleteConversation } from '../../resources/conversations.ts';
import { askStrings as texts } from '../../strings/ask.ts';
import { commonStrings } from '../../strings/common.ts';
import { useConfirm } from '../../ui/use-confirm.tsx';

/** `const [question, remove] = useDeleteConversation()`: `remove` asks first. */
export function useDeleteConversation(): [ReactNode, (id: string, onDeleted?: () => void) => void] {
  const [question, confirm] = useConfirm();
  const remove = (id: string, onDeleted?: () => void) =>
    confirm({
      title: texts.deleteTitle,
      description: texts.deleteDetail,
      action: commonStrings.delete,
      run: () => deleteConversation(id).then(onDeleted),
      done: texts.deleted,
    });
  return [question, remove];
}
