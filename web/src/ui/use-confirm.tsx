import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from './dialog.tsx';
import { ErrorNotice } from './states.tsx';
import { toast } from './toast.tsx';

export interface Question {
  title: string;
  description: ReactNode;
  /** What the button does, as a verb: "Revoke key". */
  action: string;
  run(): Promise<unknown>;
  /** What is said when it is done. */
  done?: string;
}

/** `const [question, confirm] = useConfirm()`: shows `question`, and carries out what `confirm` is given if people agree. */
export function useConfirm(): [question: ReactNode, confirm: (question: Question) => void] {
  const [asked, setAsked] = useState<Question>();
  const act = useMutation({
    mutationFn: ({ run }: Question) => run(),
    onSuccess(_, { done }) {
      setAsked(undefined);
      if (done) toast({ title: done });
    },
  });
  function confirm(question: Question) {
    act.reset();
    setAsked(question);
  }
  return [
    asked && (
      <ConfirmDialog
        open
        title={asked.title}
        description={asked.description}
        action={asked.action}
        busy={act.isPending}
        onClose={() => setAsked(undefined)}
        onConfirm={() => act.mutate(asked)}
      >
        {act.error && <ErrorNotice error={act.error} />}
      </ConfirmDialog>
    ),
    confirm,
  ];
}
