import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { commonStrings } from '../strings/common.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { isAbout, type Sent, SentForm } from './field.tsx';
import { ErrorNotice } from './states.tsx';

type Typed = (name: string) => string;

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
  /** Sends what was typed: `typed('name')` is the text of that field. An error leaves the form as it is. */
  save(typed: Typed): Promise<Saved>;
  onSaved?(saved: Saved): unknown;
  /** Another step follows, so it stays open when it is sent. */
  hasNext?: boolean;
  onClose(): void;
  /** The fields. An error stands at the field that it names, or above them; a function shows it itself. */
  children?: ReactNode | ((error: Error | null) => ReactNode);
}

function typedIn(form: HTMLFormElement): Typed {
  const values = new FormData(form);
  return (name) => String(values.get(name) ?? '').trim();
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
  const fields = useRef<Sent['fields']>(new Map());
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
  const { error } = send;
  const isSaidAtField = [...fields.current].some(([name, refusals]) => isAbout(error, name, refusals));
  return (
    <Dialog
      open
      wide={wide}
      title={rest.title}
      description={rest.description}
      saved={saved}
      onClose={onClose}
      onSubmit={(form) => isComplete() && !send.isPending && send.mutate(typedIn(form))}
      footer={
        <>
          <Button onClick={onClose}>{commonStrings.cancel}</Button>
          <Button look={look} type="submit" busy={send.isPending} disabled={disabled}>
            {action}
          </Button>
        </>
      }
    >
      <SentForm value={{ error, fields: fields.current }}>
        {typeof children !== 'function' && !isSaidAtField && <ErrorNotice error={error} />}
        {typeof children === 'function' ? children(error) : children}
      </SentForm>
    </Dialog>
  );
}
