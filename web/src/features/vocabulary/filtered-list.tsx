import { type ReactNode, useRef, useState } from 'react';
import { useCommands } from '../../lib/commands.ts';
import { formatNumber } from '../../lib/format.ts';
import { useAllPages } from '../../lib/use-all-pages.ts';
import type { Pages } from '../../resources/use-pages.ts';
import { SearchField } from '../../ui/field.tsx';
import type { IconName } from '../../ui/icon.tsx';
import { Loaded, LoadMore } from '../../ui/loaded.tsx';
import { List } from '../../ui/page.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import styles from './vocabulary.module.css';

export interface FilteredListTexts {
  list: string;
  filter: string;
  count(count: string): string;
  empty: { title: string; detail: string };
  nothingFound: { title: string; detail: string };
}

export interface FilteredListProps<Item> {
  source: Pages<Item>;
  texts: FilteredListTexts;
  icon: IconName;
  textOf(item: Item): string;
  renderItem(item: Item): ReactNode;
}

/** A list with a filter. Filtering fetches the pages that are not loaded yet. */
export function FilteredList<Item>(props: FilteredListProps<Item>) {
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
