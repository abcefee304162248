import { useRef, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { dayHeadings } from '../../lib/day-group.ts';
import { useHotkeys } from '../../lib/hotkeys.ts';
import { useAllPages } from '../../lib/use-all-pages.ts';
import { useTranscriptionList } from '../../resources/transcriptions.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { FilterBar } from './filter-bar.tsx';
import {
  type Filters,
  fits,
  isFiltered,
  looksItself,
  noFilters,
  readFilters,
  startOf,
  writeFilters,
} from './filters.ts';
import styles from './history.module.css';
import { HistoryRow } from './history-row.tsx';

const texts = strings.history;

export function HistoryList() {
  const [params, setParams] = useSearchParams();
  const filters = readFilters(params);
  const search = useRef<HTMLDivElement>(null);
  useHotkeys({ '/': () => search.current?.querySelector('input')?.focus() });
  const list = useTranscriptionList(filters.language);
  const known = list.data?.pages.flatMap((page) => page.data) ?? [];
  const oldest = known.at(-1);
  const reachesBack = oldest !== undefined && new Date(oldest.created_at).getTime() < startOf(filters.period);
  const looksOn = looksItself(filters) && !reachesBack;
  useAllPages(list, looksOn);
  const languages = useSeenLanguages(known.map(({ language }) => language));

  const change = (next: Filters) => setParams(writeFilters(next), { replace: true });
  const shown = known.filter(fits(filters));
  const headings = dayHeadings(shown.map((item) => item.created_at));
  const isEmpty = known.length === 0 && !isFiltered(filters);
  const goesOn = looksOn && list.hasNextPage;

  return (
    <Page title={texts.title} lead={texts.lead}>
      {list.isPending && !isFiltered(filters) ? (
        <Skeleton lines={9} />
      ) : list.isError && known.length === 0 ? (
        <ErrorState error={list.error} onRetry={list.refetch} />
      ) : isEmpty ? (
        <EmptyState icon="history" title={texts.empty.title} detail={texts.empty.detail}>
          <Link className="button button-primary" to="/transcribe">
            {texts.empty.action}
          </Link>
        </EmptyState>
      ) : (
        <div className={styles.body}>
          <FilterBar filters={filters} onChange={change} languages={languages} searchRef={search} />
          {isFiltered(filters) && (
            <div className={styles.found}>
              <p className="muted" role="status">
                {goesOn ? texts.searching : texts.found(shown.length)}
              </p>
              <Button look="quiet" icon="close" onClick={() => change(noFilters)}>
                {texts.clear}
              </Button>
            </div>
          )}
          {list.isPending ? (
            <Skeleton lines={6} />
          ) : shown.length > 0 ? (
            <ul className={styles.list} aria-label={texts.list}>
              {shown.map((item, at) => (
                <HistoryRow key={item.id} item={item} heading={headings[at]} />
              ))}
            </ul>
          ) : (
            !goesOn && <EmptyState icon="filter" {...texts.nothingFound} />
          )}
          {list.hasNextPage && !looksItself(filters) && (
            <Button look="quiet" busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
              {strings.common.loadMore}
            </Button>
          )}
        </div>
      )}
    </Page>
  );
}

/** Every language seen so far. Choosing one must not remove the others from the list. */
function useSeenLanguages(codes: (string | null)[]): string[] {
  const [seen] = useState(() => new Set<string>());
  for (const code of codes) if (code !== null) seen.add(code);
  return [...seen].sort();
}
