import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { explain } from '../../api/errors.ts';
import { maxWordLength, wordsPerRequest } from '../../api/limits.ts';
import { VocabularyPage } from '../../features/vocabulary/vocabulary-page.tsx';
import { useUnsaved } from '../../lib/unsaved.ts';
import { addWords, fetchAllWords, refreshWords, useWords } from '../../resources/dictionary.ts';
import { dictionaryStrings } from '../../strings/vocabulary.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { toast } from '../../ui/toast.tsx';
import styles from './dictionary.module.css';
import { readWords } from './read-words.ts';
import { WordRow } from './word-row.tsx';

const texts = dictionaryStrings;

export function Screen() {
  const client = useQueryClient();
  const list = useWords();
  return (
    <VocabularyPage
      texts={texts}
      icon="book"
      source={list}
      items={list.data?.pages.flatMap((page) => page.data) ?? []}
      textOf={({ word }) => word}
      renderItem={(entry) => <WordRow key={entry.id} entry={entry} />}
      fetchTable={async () => [['word'], ...(await fetchAllWords()).map(({ word }) => [word])]}
      readItems={readWords}
      batchSize={wordsPerRequest}
      beginImport={beginImport}
      onImported={() => refreshWords(client)}
    >
      <AddWord />
    </VocabularyPage>
  );
}

/** The answer holds old and new words; the new ones did not exist when the import began. */
async function beginImport() {
  const known = new Set((await fetchAllWords()).map(({ id }) => id));
  return async (batch: string[]) => (await addWords(batch)).filter(({ id }) => !known.has(id)).length;
}

function AddWord() {
  const client = useQueryClient();
  const [word, setWord] = useState('');
  useUnsaved(() => word.trim() !== '');
  const known = new Set(useWords().data?.pages.flatMap(({ data }) => data.map(({ id }) => id)));
  const add = useMutation({
    mutationFn: () => addWords([word.trim()]),
    onSuccess([entry]) {
      // The server keeps one spelling of a word, and answers with the entry that is there.
      const isOld = entry && (entry.word !== word.trim() || known.has(entry.id));
      if (entry) toast({ title: isOld ? texts.isThere(entry.word) : texts.added(entry.word) });
      setWord('');
      return refreshWords(client);
    },
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (word.trim() !== '') add.mutate();
  }
  return (
    <form className={styles.addForm} onSubmit={submit}>
      <TextField
        label={texts.word}
        placeholder={texts.wordPlaceholder}
        maxLength={maxWordLength}
        required
        value={word}
        error={add.error ? explain(add.error).detail : undefined}
        onChange={(event) => setWord(event.target.value)}
      />
      <Button look="primary" type="submit" icon="plus" busy={add.isPending}>
        {texts.add}
      </Button>
    </form>
  );
}
