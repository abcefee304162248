import { type ReactNode, useState } from 'react';
import type { Candidates } from '../../lib/candidates.ts';
import { toCsv } from '../../lib/csv.ts';
import { saveFile } from '../../lib/save-file.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { useAction } from '../../ui/use-action.ts';
import { FilteredList, type FilteredListProps, type FilteredListTexts } from './filtered-list.tsx';
import { ImportDialog } from './import-dialog.tsx';

interface Props<Item, Draft> extends Omit<FilteredListProps<Item>, 'texts'> {
  texts: FilteredListTexts & {
    title: string;
    lead: string;
    import: string;
    importTitle: string;
    importDetail: string;
    export: string;
    fileName: string;
  };
  /** The whole list as a table; the first row holds the column names. */
  fetchTable(): Promise<string[][]>;
  readItems(text: string): Candidates<Draft>;
  batchSize: number;
  beginImport(): Promise<(batch: Draft[]) => Promise<number>>;
  onImported(): void;
  /** The form that adds one. */
  children: ReactNode;
}

/** The page for the dictionary and for snippets: add one, import many, filter, export. */
export function VocabularyPage<Item, Draft>(props: Props<Item, Draft>) {
  const { texts, fetchTable, readItems, batchSize, beginImport, onImported, children, ...list } = props;
  const [importing, setImporting] = useState(false);
  const download = useAction(async () =>
    saveFile(texts.fileName, toCsv(await fetchTable()), 'text/csv;charset=utf-8'),
  );
  return (
    <Page
      title={texts.title}
      lead={texts.lead}
      actions={
        <>
          <Button icon="upload" onClick={() => setImporting(true)}>
            {texts.import}
          </Button>
          <Button
            icon="download"
            busy={download.isPending}
            disabled={!list.source.data?.length}
            onClick={() => download.mutate()}
          >
            {texts.export}
          </Button>
        </>
      }
    >
      {children}
      <FilteredList texts={texts} {...list} />
      {importing && (
        <ImportDialog
          onClose={() => setImporting(false)}
          title={texts.importTitle}
          description={texts.importDetail}
          readItems={readItems}
          batchSize={batchSize}
          begin={beginImport}
          onImported={onImported}
        />
      )}
    </Page>
  );
}
