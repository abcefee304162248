import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { explain, StenoError } from '../../api/errors.ts';
import { maxWordLength } from '../../api/limits.ts';
import { addWords, changeWord, type Entry, refreshWords, removeWord } from '../../resources/dictionary.ts';
import { commonStrings } from '../../strings/common.ts';
import { dictionaryStrings } from '../../strings/vocabulary.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { onEscape, useDiscard } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Badge, Row } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import styles from './dictionary.module.css';

const texts = dictionaryStrings;

export function WordRow({ entry }: { entry: Entry }) {
  const client = useQueryClient();
  const [editing, setEditing] = useState(false);
  const remove = useMutation({
    mutationFn: () => removeWord(entry.id),
    onSuccess() {
      toast({
        title: texts.removed(entry.word),
        action: { label: commonStrings.undo, run: putBack },
      });
      return refreshWords(client);
    },
    onError: toastError,
  });
  async function putBack() {
    await addWords([entry.word]).catch(toastError);
    refreshWords(client);
  }

  if (editing) return <EditRow entry={entry} onDone={() => setEditing(false)} />;
  return (
    <Row
      actions={
        <>
          <IconButton icon="edit" label={texts.edit(entry.word)} onClick={() => setEditing(true)} />
          <IconButton
            icon="trash"
            label={texts.remove(entry.word)}
            disabled={remove.isPending}
            onClick={() => remove.mutate()}
          />
        </>
      }
    >
      {entry.word} {entry.source === 'learned' && <Badge>{texts.learned}</Badge>}
    </Row>
  );
}

function EditRow({ entry, onDone }: { entry: Entry; onDone(): void }) {
  const client = useQueryClient();
  const [word, setWord] = useState(entry.word);
  const [question, leave] = useDiscard(() => word !== entry.word, onDone);
  const save = useMutation({
    mutationFn: () => changeWord(entry.id, word.trim()),
    async onSuccess() {
      await refreshWords(client);
      onDone();
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (word.trim() === entry.word) onDone();
    else save.mutate();
  }
  return (
    <li className="row">
      <form className={styles.editForm} onSubmit={submit} onKeyDown={(event) => onEscape(event, leave)}>
        <TextField
          label={texts.editWord}
          labelHidden
          required
          autoFocus
          maxLength={maxWordLength}
          value={word}
          error={save.error ? problemOf(save.error) : undefined}
          onChange={(event) => setWord(event.target.value)}
        />
        <Button look="primary" type="submit" busy={save.isPending}>
          {commonStrings.save}
        </Button>
        <Button onClick={onDone}>{commonStrings.cancel}</Button>
      </form>
      {question}
    </li>
  );
}

const problemOf = (error: Error) =>
  error instanceof StenoError && error.code === 'conflict' ? texts.exists : explain(error).detail;
