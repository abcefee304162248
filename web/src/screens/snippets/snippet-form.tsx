import { type FormEvent, type ReactNode, useState } from 'react';
import { explain } from '../../api/errors.ts';
import { maxReplacementLength, maxTriggerLength } from '../../api/limits.ts';
import { isTaken, type SnippetDraft } from '../../resources/snippets.ts';
import { snippetStrings } from '../../strings/vocabulary.ts';
import { onEscape, useDiscard } from '../../ui/dialog.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import styles from './snippets.module.css';

const texts = snippetStrings;

interface Props {
  start?: SnippetDraft;
  error: Error | null;
  autoFocus?: boolean;
  onSubmit(draft: SnippetDraft): void;
  onCancel?: () => void;
  /** The buttons. */
  children: ReactNode;
}

const nothing = { trigger: '', replacement: '' };

/** Used for new snippets and for editing one in its row. */
export function SnippetForm({
  start = nothing,
  error,
  autoFocus = false,
  onSubmit,
  onCancel,
  children,
}: Props) {
  const [draft, setDraft] = useState(start);
  const isChanged = () => draft.trigger !== start.trigger || draft.replacement !== start.replacement;
  const [question, leave] = useDiscard(isChanged, () => onCancel?.());
  function submit(event: FormEvent) {
    event.preventDefault();
    onSubmit({ trigger: draft.trigger.trim(), replacement: draft.replacement });
  }
  return (
    <>
      <form
        className={styles.form}
        onSubmit={submit}
        onKeyDown={(event) => onCancel && onEscape(event, leave)}
      >
        <TextField
          label={texts.trigger}
          placeholder={texts.triggerPlaceholder}
          required
          autoFocus={autoFocus}
          maxLength={maxTriggerLength}
          value={draft.trigger}
          error={error ? (isTaken(error) ? texts.exists : explain(error).detail) : undefined}
          onChange={(event) => setDraft({ ...draft, trigger: event.target.value })}
        />
        <TextArea
          label={texts.replacement}
          placeholder={texts.replacementPlaceholder}
          required
          rows={2}
          maxLength={maxReplacementLength}
          value={draft.replacement}
          onChange={(event) => setDraft({ ...draft, replacement: event.target.value })}
        />
        <div className={styles.buttons}>{children}</div>
      </form>
      {question}
    </>
  );
}
