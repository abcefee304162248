import { type ReactNode, useRef, useState } from 'react';
import type { Candidates } from '../../lib/candidates.ts';
import { useCommands } from '../../lib/commands.ts';
import { toCsv } from '../../lib/csv.ts';
import { formatNumber } from '../../lib/format.ts';
import { saveFile } from '../../lib/save-file.ts';
import { useAllPages } from '../../lib/use-all-pages.ts';
import type { Pages } from '../../resources/use-pages.ts';
import { Button } from '../../ui/button.tsx';
import { SearchField } from '../../ui/field.tsx';
import type { IconName } from '../../ui/icon.tsx';
import { Loaded, LoadMore } from '../../ui/loaded.tsx';
import { List, Page } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { useAction } from '../../ui/use-action.ts';
import { ImportDialog } from './import-dialog.tsx';
import styles from './vocabulary.module.css';

interface ListProps<Item> {
  source: Pages<Item>;
  texts: {
    list: string;
    filter: string;
    count(count: string): string;
    empty: { title: string; detail: string };
    nothingFound: { title: string; detail: string };
  };
  icon: IconName;
  textOf(item: Item): string;
  renderItem(item: Item): ReactNode;
}

interface Props<Item, Draft> extends ListProps<Item> {
  texts: ListProps<Item>['texts'] & {
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

/** A list with a filter. Filtering fetches the pages that are not loaded yet. */
function FilteredList<Item>(props: ListProps<Item>) {
  const { source, texts, icon, textOf, renderItem } = props;
  const box = useRef<HTMLDivElement>(null);
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  useAllPages(source, wanted !== '');
  useCommands([{ id: 'search', run: () => box.current?.querySelector('input')?.focus() }]);
  const { data: items = [] } = source;
  const shown = wanted === '' ? items : items.filter((item) => textOf(item).toLowerCase().includes(wanted));
  const count = `${formatNumber(shown.length)}${source.hasNextPage ? '+' : ''}`;
  const filtered = (
    <div className={styles.body} data-scope="list">
      <div className={styles.filter} ref={box}>
        <SearchField label={texts.filter} value={text} onType={setText} />
        <Status className="muted numbers">{texts.count(count)}</Status>
      </div>
      {shown.length > 0 ? (
        <List label={texts.list}>{shown.map(renderItem)}</List>
      ) : (
        <EmptyState icon="search" {...texts.nothingFound} />
      )}
      {wanted === '' && <LoadMore from={source} />}
    </div>
  );
  return (
    <Loaded from={source} lines={8}>
      {() => (items.length === 0 ? <EmptyState icon={icon} {...texts.empty} /> : filtered)}
    </Loaded>
  );
}
