import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { explain } from '../../api/errors.ts';
import { useHotkeys } from '../../lib/hotkeys.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { saveFile } from '../transcribe/save-file.ts';
import { maxWordLength, readWords } from './candidates.ts';
import { toCsv } from './csv.ts';
import styles from './dictionary.module.css';
import { FilteredList } from './filtered-list.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { addWords, fetchAllWords, refreshWords, useWords, wordsPerRequest } from './queries.ts';
import { WordRow } from './word-row.tsx';

const words = strings.dictionary;

export function Screen() {
  const client = useQueryClient();
  const list = useWords();
  const [importing, setImporting] = useState(false);
  const entries = list.data?.pages.flatMap((page) => page.data) ?? [];
  const download = useMutation({
    async mutationFn() {
      const rows = (await fetchAllWords()).map(({ word }) => [word]);
      saveFile(words.fileName, toCsv([['word'], ...rows]), 'text/csv;charset=utf-8');
    },
    onError: toastError,
  });

  return (
    <Page
      title={words.title}
      lead={words.lead}
      actions={
        <>
          <Button icon="upload" onClick={() => setImporting(true)}>
            {words.import}
          </Button>
          <Button
            icon="download"
            busy={download.isPending}
            disabled={entries.length === 0}
            onClick={() => download.mutate()}
          >
            {words.export}
          </Button>
        </>
      }
    >
      <AddWord />
      <FilteredList
        source={list}
        items={entries}
        words={words}
        icon="book"
        textOf={({ word }) => word}
        renderItem={(entry) => <WordRow key={entry.id} entry={entry} />}
      />
      <ImportDialog
        open={importing}
        onClose={() => setImporting(false)}
        title={words.importTitle}
        description={words.importDetail}
        readItems={readWords}
        batchSize={wordsPerRequest}
        begin={beginImport}
        onImported={() => refreshWords(client)}
      />
    </Page>
  );
}

/** The answer holds words old and new; new are those that were not there when the import began. */
async function beginImport() {
  const known = new Set((await fetchAllWords()).map(({ id }) => id));
  return async (batch: string[]) => (await addWords(batch)).filter(({ id }) => !known.has(id)).length;
}

function AddWord() {
  const client = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const [word, setWord] = useState('');
  const add = useMutation({
    mutationFn: () => addWords([word.trim()]),
    onSuccess([entry]) {
      if (entry) toast({ title: words.added(entry.word) });
      setWord('');
      return refreshWords(client);
    },
  });
  useHotkeys({ n: () => form.current?.querySelector('input')?.focus() });
  function submit(event: FormEvent) {
    event.preventDefault();
    if (word.trim() !== '') add.mutate();
  }
  return (
    <form className={styles.addForm} ref={form} onSubmit={submit}>
      <TextField
        label={words.word}
        placeholder={words.wordPlaceholder}
        maxLength={maxWordLength}
        required
        value={word}
        error={add.error ? explain(add.error).detail : undefined}
        onChange={(event) => setWord(event.target.value)}
      />
      <Button look="primary" type="submit" icon="plus" busy={add.isPending}>
        {words.add}
      </Button>
    </form>
  );
}
