import { explain, isTaken } from '../../api/errors.ts';
import { maxWordLength } from '../../api/limits.ts';
import { EntryForm } from '../../features/vocabulary/entry-form.tsx';
import { EntryRow } from '../../features/vocabulary/entry-row.tsx';
import { addWords, changeWord, type Entry, refreshWords, removeWord } from '../../resources/dictionary.ts';
import { dictionaryStrings as texts } from '../../strings/vocabulary.ts';
import { TextField } from '../../ui/field.tsx';
import { Badge } from '../../ui/page.tsx';

interface Props<Saved> {
  label: string;
  /** What the button says; left out for a word that is there. */
  add?: string;
  word?: string;
  save(word: string): Promise<Saved>;
  onSaved(saved: Saved, word: string): unknown;
  onClose?: () => void;
}

export const WordForm = <Saved,>({ label, word = '', save, onSaved, ...rest }: Props<Saved>) => (
  <EntryForm
    {...rest}
    start={{ word }}
    save={(draft) => save(draft.word.trim())}
    onSaved={(saved, draft) => onSaved(saved, draft.word.trim())}
  >
    {(draft, change, error) => (
      <TextField
        label={label}
        labelHidden={rest.onClose !== undefined}
        placeholder={rest.onClose ? undefined : texts.wordPlaceholder}
        autoFocus={rest.onClose !== undefined}
        required
        pattern=".*\S.*"
        maxLength={maxWordLength}
        value={draft.word}
        error={error ? (isTaken(error) ? texts.exists : explain(error).detail) : undefined}
        onChange={(event) => change({ word: event.target.value })}
      />
    )}
  </EntryForm>
);

export function WordRow({ entry: { id, word, source } }: { entry: Entry }) {
  return (
    <EntryRow
      name={word}
      texts={texts}
      remove={() => removeWord(id)}
      putBack={() => addWords([word])}
      refresh={refreshWords}
      form={(onClose) => (
        <WordForm
          label={texts.editWord}
          word={word}
          save={(next) => changeWord(id, next)}
          onSaved={refreshWords}
          onClose={onClose}
        />
      )}
    >
      {word} {source === 'learned' && <Badge>{texts.learned}</Badge>}
    </EntryRow>
  );
}
