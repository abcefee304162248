import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useHotkeys } from '../../lib/hotkeys.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { readSnippets, type SnippetDraft } from '../dictionary/candidates.ts';
import { toCsv } from '../dictionary/csv.ts';
import { FilteredList } from '../dictionary/filtered-list.tsx';
import { ImportDialog } from '../dictionary/import-dialog.tsx';
import { saveFile } from '../transcribe/save-file.ts';
import { addIfNew, addSnippet, fetchAllSnippets, refreshSnippets, useSnippets } from './queries.ts';
import { SnippetForm } from './snippet-form.tsx';
import { SnippetRow } from './snippet-row.tsx';

const words = strings.snippets;

export function Screen() {
  const client = useQueryClient();
  const list = useSnippets();
  const [importing, setImporting] = useState(false);
  const snippets = list.data?.pages.flatMap((page) => page.data) ?? [];
  const download = useMutation({
    async mutationFn() {
      const rows = (await fetchAllSnippets()).map(({ trigger, replacement }) => [trigger, replacement]);
      saveFile(words.fileName, toCsv([['trigger', 'replacement'], ...rows]), 'text/csv;charset=utf-8');
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
            disabled={snippets.length === 0}
            onClick={() => download.mutate()}
          >
            {words.export}
          </Button>
        </>
      }
    >
      <NewSnippet />
      <FilteredList
        source={list}
        items={snippets}
        words={words}
        icon="snippet"
        textOf={({ trigger, replacement }) => `${trigger}\n${replacement}`}
        renderItem={(snippet) => <SnippetRow key={snippet.id} snippet={snippet} />}
      />
      <ImportDialog
        open={importing}
        onClose={() => setImporting(false)}
        title={words.importTitle}
        description={words.importDetail}
        readItems={readSnippets}
        batchSize={1}
        begin={beginImport}
        onImported={() => refreshSnippets(client)}
      />
    </Page>
  );
}

/** The API takes one snippet a request. */
async function beginImport() {
  return async ([draft]: SnippetDraft[]) => (draft && (await addIfNew(draft)) ? 1 : 0);
}

function NewSnippet() {
  const client = useQueryClient();
  const place = useRef<HTMLDivElement>(null);
  // A new key empties the form.
  const [made, setMade] = useState(0);
  const add = useMutation({
    mutationFn: addSnippet,
    onSuccess(snippet) {
      toast({ title: words.added(snippet.trigger) });
      setMade(made + 1);
      return refreshSnippets(client);
    },
  });
  useHotkeys({ n: () => place.current?.querySelector('input')?.focus() });
  return (
    <div ref={place}>
      <SnippetForm key={made} error={add.error} onSubmit={add.mutate}>
        <Button look="primary" type="submit" icon="plus" busy={add.isPending}>
          {words.add}
        </Button>
      </SnippetForm>
    </div>
  );
}
