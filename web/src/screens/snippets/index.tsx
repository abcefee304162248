import { VocabularyPage } from '../../features/vocabulary/vocabulary-page.tsx';
import {
  addSnippet,
  addSnippetIfNew,
  fetchAllSnippets,
  refreshSnippets,
  type SnippetDraft,
  useSnippets,
} from '../../resources/snippets.ts';
import { snippetStrings as texts } from '../../strings/vocabulary.ts';
import { toast } from '../../ui/toast.tsx';
import { readSnippets } from './read-snippets.ts';
import { SnippetForm, SnippetRow } from './snippet.tsx';

export function Screen() {
  return (
    <VocabularyPage
      texts={texts}
      icon="snippet"
      source={useSnippets()}
      textOf={({ trigger, replacement }) => `${trigger}\n${replacement}`}
      renderItem={(snippet) => <SnippetRow key={snippet.id} snippet={snippet} />}
      fetchTable={fetchTable}
      readItems={readSnippets}
      batchSize={1}
      beginImport={beginImport}
      onImported={refreshSnippets}
    >
      <SnippetForm
        add={texts.add}
        save={addSnippet}
        onSaved={({ trigger }) => {
          toast({ title: texts.added(trigger) });
          return refreshSnippets();
        }}
      />
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
