import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { commonStrings } from '../strings/common.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './states.tsx';

interface FormDialogProps<Saved> {
  title: string;
  description?: ReactNode;
  /** What the main button does, as a verb; without it, "Save". */
  action?: string;
  look?: 'primary' | 'danger';
  disabled?: boolean;
  /** For a form with much in it. */
  wide?: boolean;
  /** Asked when the person sends it: false if the form now says what is missing. */
  isComplete?(): boolean;
  /** Sends what was typed. An error leaves the form as it is. */
  save(): Promise<Saved>;
  onSaved?(saved: Saved): unknown;
  /** Another step follows, so it stays open when it is sent. */
  hasNext?: boolean;
  onClose(): void;
  /** The fields. A function shows the error at its field; otherwise it stands above them. */
  children?: ReactNode | ((error: Error | null) => ReactNode);
}

/** Asks for something, sends it and closes. What was typed is never thrown away without a question. */
export function FormDialog<Saved>(props: FormDialogProps<Saved>) {
  const {
    action = commonStrings.save,
    look = 'primary',
    disabled = false,
    hasNext = false,
    wide = false,
  } = props;
  const { save, onSaved, onClose, children, isComplete = () => true, ...rest } = props;
  const saved = useRef(false);
  const send = useMutation({
    mutationFn: save,
    onSuccess(result) {
      if (!hasNext) {
        saved.current = true;
        onClose();
      }
      return onSaved?.(result);
    },
  });
  return (
    <Dialog
      open
      wide={wide}
      title={rest.title}
      description={rest.description}
      saved={saved}
      onClose={onClose}
      onSubmit={() => isComplete() && !send.isPending && send.mutate()}
      footer={
        <>
          <Button onClick={onClose}>{commonStrings.cancel}</Button>
          <Button look={look} type="submit" busy={send.isPending} disabled={disabled}>
            {action}
          </Button>
        </>
      }
    >
      {typeof children === 'function' ? (
        children(send.error)
      ) : (
        <>
          <ErrorNotice error={send.error} />
          {children}
        </>
      )}
    </Dialog>
  );
}
