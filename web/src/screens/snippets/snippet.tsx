import { explain, isTaken } from '../../api/errors.ts';
import { maxReplacementLength, maxTriggerLength } from '../../api/limits.ts';
import { EntryForm } from '../../features/vocabulary/entry-form.tsx';
import { EntryRow } from '../../features/vocabulary/entry-row.tsx';
import {
  addSnippet,
  changeSnippet,
  refreshSnippets,
  removeSnippet,
  type Snippet,
  type SnippetDraft,
} from '../../resources/snippets.ts';
import { snippetStrings as texts } from '../../strings/vocabulary.ts';
import { TextArea, TextField } from '../../ui/field.tsx';
import styles from './snippets.module.css';

interface Props<Saved> {
  /** What the button says; left out for a snippet that is there. */
  add?: string;
  start?: SnippetDraft;
  save(draft: SnippetDraft): Promise<Saved>;
  onSaved(saved: Saved): unknown;
  onClose?: () => void;
}

const nothing = { trigger: '', replacement: '' };

export const SnippetForm = <Saved,>({ start = nothing, save, ...rest }: Props<Saved>) => (
  <EntryForm
    {...rest}
    start={start}
    save={({ trigger, replacement }) => save({ trigger: trigger.trim(), replacement })}
  >
    {({ trigger, replacement }, change, error) => (
      <div className={styles.fields}>
        <TextField
          label={texts.trigger}
          placeholder={texts.triggerPlaceholder}
          required
          autoFocus={rest.onClose !== undefined}
          maxLength={maxTriggerLength}
          value={trigger}
          error={error ? (isTaken(error) ? texts.exists : explain(error).detail) : undefined}
          onChange={(event) => change({ trigger: event.target.value })}
        />
        <TextArea
          label={texts.replacement}
          placeholder={texts.replacementPlaceholder}
          required
          rows={2}
          maxLength={maxReplacementLength}
          value={replacement}
          onChange={(event) => change({ replacement: event.target.value })}
        />
      </div>
    )}
  </EntryForm>
);

export function SnippetRow({ snippet: { id, trigger, replacement } }: { snippet: Snippet }) {
  return (
    <EntryRow
      name={trigger}
      texts={texts}
      detail={<span className={styles.replacement}>{replacement}</span>}
      remove={() => removeSnippet(id)}
      putBack={() => addSnippet({ trigger, replacement })}
      refresh={refreshSnippets}
      form={(onClose) => (
        <SnippetForm
          start={{ trigger, replacement }}
          save={(draft) => changeSnippet(id, draft)}
          onSaved={refreshSnippets}
          onClose={onClose}
        />
      )}
    >
      {trigger}
    </EntryRow>
  );
}
