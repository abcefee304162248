import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { commonStrings } from '../../strings/common.ts';
import { Button } from '../../ui/button.tsx';
import { onEscape, useDiscard } from '../../ui/dialog.tsx';
import styles from './vocabulary.module.css';

interface Props<Draft, Saved> {
  start: Draft;
  /** What the button says that adds one. */
  add?: string;
  save(draft: Draft): Promise<Saved>;
  onSaved(saved: Saved, draft: Draft): unknown;
  /** Left out for a new one: its form stays. */
  onClose?: () => void;
  /** The fields. Without an error, `error` is null. */
  children(draft: Draft, change: (part: Partial<Draft>) => void, error: Error | null): ReactNode;
}

/** A word or a snippet: a new one above the list, or one that is there, in its row. */
export function EntryForm<Draft extends object, Saved>(props: Props<Draft, Saved>) {
  const { start, add, save, onSaved, onClose, children } = props;
  const [draft, setDraft] = useState(start);
  const isChanged = () => JSON.stringify(draft) !== JSON.stringify(start);
  const [question, leave] = useDiscard(isChanged, () => onClose?.());
  const send = useMutation({
    mutationFn: save,
    async onSuccess(saved, sent) {
      if (!onClose) setDraft(start);
      await onSaved(saved, sent);
      onClose?.();
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (onClose && !isChanged()) onClose();
    else send.mutate(draft);
  }
  return (
    <>
      <form
        className={add ? styles.addForm : styles.editForm}
        onSubmit={submit}
        onKeyDown={(event) => onClose && onEscape(event, leave)}
      >
        {children(draft, (part) => setDraft({ ...draft, ...part }), send.error)}
        <div className={styles.buttons}>
          {onClose && <Button onClick={onClose}>{commonStrings.cancel}</Button>}
          <Button look="primary" type="submit" {...(add && { icon: 'plus' })} busy={send.isPending}>
            {add ?? commonStrings.save}
          </Button>
        </div>
      </form>
      {question}
    </>
  );
}
