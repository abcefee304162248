import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { VocabularyPage } from '../../features/vocabulary/vocabulary-page.tsx';
import {
  addSnippet,
  addSnippetIfNew,
  fetchAllSnippets,
  refreshSnippets,
  type SnippetDraft,
  useSnippets,
} from '../../resources/snippets.ts';
import { snippetStrings } from '../../strings/vocabulary.ts';
import { Button } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';
import { readSnippets } from './read-snippets.ts';
import { SnippetForm } from './snippet-form.tsx';
import { SnippetRow } from './snippet-row.tsx';

const texts = snippetStrings;

export function Screen() {
  const client = useQueryClient();
  const list = useSnippets();
  return (
    <VocabularyPage
      texts={texts}
      icon="snippet"
      source={list}
      items={list.data?.pages.flatMap((page) => page.data) ?? []}
      textOf={({ trigger, replacement }) => `${trigger}\n${replacement}`}
      renderItem={(snippet) => <SnippetRow key={snippet.id} snippet={snippet} />}
      fetchTable={fetchTable}
      readItems={readSnippets}
      batchSize={1}
      beginImport={beginImport}
      onImported={() => refreshSnippets(client)}
    >
      <NewSnippet />
    </VocabularyPage>
  );
}

async function fetchTable() {
  const rows = (await fetchAllSnippets()).map(({ trigger, replacement }) => [trigger, replacement]);
  return [['trigger', 'replacement'], ...rows];
}

/** The API takes one snippet per request. */
async function beginImport() {
  return async ([draft]: SnippetDraft[]) => (draft && (await addSnippetIfNew(draft)) ? 1 : 0);
}

function NewSnippet() {
  const client = useQueryClient();
  // Changing the key clears the form.
  const [made, setMade] = useState(0);
  const add = useMutation({
    mutationFn: addSnippet,
    onSuccess(snippet) {
      toast({ title: texts.added(snippet.trigger) });
      setMade(made + 1);
      return refreshSnippets(client);
    },
  });
  return (
    <SnippetForm key={made} error={add.error} onSubmit={add.mutate}>
      <Button look="primary" type="submit" icon="plus" busy={add.isPending}>
        {texts.add}
      </Button>
    </SnippetForm>
  );
}
