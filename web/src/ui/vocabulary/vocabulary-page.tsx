import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Candidates } from '../../lib/candidates.ts';
import { toCsv } from '../../lib/csv.ts';
import { saveFile } from '../../lib/save-file.ts';
import { Button } from '../button.tsx';
import { Page } from '../page.tsx';
import { toastError } from '../toast.tsx';
import { FilteredList, type FilteredListProps, type FilteredListWords } from './filtered-list.tsx';
import { ImportDialog } from './import-dialog.tsx';

interface Props<Item, Draft> extends Omit<FilteredListProps<Item>, 'words'> {
  words: FilteredListWords & {
    title: string;
    lead: string;
    import: string;
    importTitle: string;
    importDetail: string;
    export: string;
    fileName: string;
  };
  /** All of it as a table, its first row the names of the columns. */
  fetchTable(): Promise<string[][]>;
  readItems(text: string): Candidates<Draft>;
  batchSize: number;
  beginImport(): Promise<(batch: Draft[]) => Promise<number>>;
  onImported(): void;
  /** The form that adds one. */
  children: ReactNode;
}

/** What a person's transcriptions should know, one list of it: added one by one, imported, filtered, exported. */
export function VocabularyPage<Item, Draft>(props: Props<Item, Draft>) {
  const { words, fetchTable, readItems, batchSize, beginImport, onImported, children, ...list } = props;
  const [importing, setImporting] = useState(false);
  const download = useMutation({
    async mutationFn() {
      saveFile(words.fileName, toCsv(await fetchTable()), 'text/csv;charset=utf-8');
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
            disabled={list.items.length === 0}
            onClick={() => download.mutate()}
          >
            {words.export}
          </Button>
        </>
      }
    >
      {children}
      <FilteredList words={words} {...list} />
      <ImportDialog
        open={importing}
        onClose={() => setImporting(false)}
        title={words.importTitle}
        description={words.importDetail}
        readItems={readItems}
        batchSize={batchSize}
        begin={beginImport}
        onImported={onImported}
      />
    </Page>
  );
}
