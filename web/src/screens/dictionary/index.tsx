import { wordsPerRequest } from '../../api/limits.ts';
import { VocabularyPage } from '../../features/vocabulary/vocabulary-page.tsx';
import { addWords, fetchAllWords, refreshWords, useWords } from '../../resources/dictionary.ts';
import { dictionaryStrings as texts } from '../../strings/vocabulary.ts';
import { toast } from '../../ui/toast.tsx';
import { readWords } from './read-words.ts';
import { WordForm, WordRow } from './word.tsx';

export function Screen() {
  const list = useWords();
  return (
    <VocabularyPage
      texts={texts}
      icon="book"
      source={list}
      textOf={({ word }) => word}
      renderItem={(entry) => <WordRow key={entry.id} entry={entry} />}
      fetchTable={async () => [['word'], ...(await fetchAllWords()).map(({ word }) => [word])]}
      readItems={readWords}
      batchSize={wordsPerRequest}
      beginImport={beginImport}
      onImported={refreshWords}
    >
      <WordForm
        label={texts.word}
        add={texts.add}
        save={(word) => addWords([word])}
        onSaved={([entry], word) => {
          // The server keeps one spelling of a word, and answers with the entry that is there.
          const isOld = entry && (entry.word !== word || list.data?.some(({ id }) => id === entry.id));
          if (entry) toast({ title: isOld ? texts.isThere(entry.word) : texts.added(entry.word) });
          return refreshWords();
        }}
      />
    </VocabularyPage>
  );
}

/** The answer holds old and new words; the new ones did not exist when the import began. */
async function beginImport() {
  const known = new Set((await fetchAllWords()).map(({ id }) => id));
  return async (batch: string[]) => (await addWords(batch)).filter(({ id }) => !known.has(id)).length;
}
