import { useRef, useState } from 'react';
import { useCommands } from '../../lib/commands.ts';
import { dayHeadings } from '../../lib/day-group.ts';
import { useSearchParams } from '../../lib/router.tsx';
import { useAllPages } from '../../lib/use-all-pages.ts';
import { usePaused } from '../../lib/use-paused.ts';
import { askToRecord } from '../../recorder/state.ts';
import { useRecordingList } from '../../resources/recordings.ts';
import { useTranscriptionList } from '../../resources/transcriptions.ts';
import { commonStrings } from '../../strings/common.ts';
import { historyStrings } from '../../strings/history.ts';
import { recorderStrings } from '../../strings/recorder.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { horizonOf, merge } from './entries.ts';
import { FilterBar } from './filter-bar.tsx';
import { type Filters, fits, isFiltered, noFilters, readFilters, startOf, writeFilters } from './filters.ts';
import styles from './history.module.css';
import { RecordingRow } from './recording-row.tsx';
import { TextRow } from './text-row.tsx';

const texts = historyStrings;
const searchPauseMs = 300;
/** A filter that the server does not have is looked for until so many are found, and then again for so many more. */
const foundAtOnce = 100;

export function HistoryList() {
  const [params, setParams] = useSearchParams();
  const filters = readFilters(params);
  const search = useRef<HTMLDivElement>(null);
  useCommands([{ id: 'search', run: () => search.current?.querySelector('input')?.focus() }]);
  const [wanted, setWanted] = useState(foundAtOnce);
  const history = useHistory(filters, wanted);
  const { entries, isPending, error } = history;

  function change(next: Filters): void {
    setWanted(foundAtOnce);
    setParams(writeFilters(next), { replace: true });
  }
  const shown = entries.filter(fits(filters));
  const headings = dayHeadings(shown.map(({ at }) => at));

  if ((isPending && !isFiltered(filters)) || (error && entries.length === 0))
    return (
      <Page title={texts.title} lead={texts.lead}>
        {error ? <ErrorState error={error} onRetry={history.refetch} /> : <Skeleton lines={9} />}
      </Page>
    );
  if (entries.length === 0 && !history.hasMore && !isFiltered(filters))
    return (
      <Page title={texts.title} lead={texts.lead}>
        <EmptyState icon="mic" title={texts.empty.title} detail={texts.empty.detail}>
          <Button look="primary" icon="mic" onClick={askToRecord}>
            {recorderStrings.record}
          </Button>
        </EmptyState>
      </Page>
    );
  return (
    <Page title={texts.title} lead={texts.lead}>
      <div className={styles.body} data-scope="list">
        <FilterBar filters={filters} onChange={change} searchRef={search} />
        {isFiltered(filters) && (
          <div className={styles.found}>
            <p className="muted" role="status">
              {history.looksOn
                ? texts.searching
                : history.hasOlder
                  ? texts.foundFirst(shown.length)
                  : texts.found(shown.length)}
            </p>
            <Button look="quiet" icon="close" onClick={() => change(noFilters)}>
              {texts.clear}
            </Button>
          </div>
        )}
        {shown.length > 0 ? (
          <ul className={styles.list} aria-label={texts.list}>
            {shown.map((entry, at) =>
              entry.kind === 'recording' ? (
                <RecordingRow key={entry.id} recording={entry.recording} heading={headings[at]} />
              ) : (
                <TextRow key={entry.id} item={entry.transcription} heading={headings[at]} />
              ),
            )}
          </ul>
        ) : (
          !history.looksOn && <EmptyState icon="filter" {...texts.nothingFound} />
        )}
        {(isFiltered(filters) ? history.hasOlder && !history.looksOn : history.hasMore) && (
          <Button
            look="quiet"
            busy={history.isFetching}
            onClick={isFiltered(filters) ? () => setWanted(shown.length + foundAtOnce) : history.loadMore}
          >
            {commonStrings.loadMore}
          </Button>
        )}
      </div>
    </Page>
  );
}

/** Both lists, loaded as far as the filters need to find `wanted`. */
function useHistory(filters: Filters, wanted: number) {
  const text = usePaused(filters.text.trim(), searchPauseMs);
  const lists = [useRecordingList(text), useTranscriptionList(text)] as const;
  const [recordings, transcriptions] = [
    {
      items: lists[0].data?.pages.flatMap((page) => page.data) ?? [],
      hasMore: lists[0].hasNextPage,
    },
    {
      items: lists[1].data?.pages.flatMap((page) => page.data) ?? [],
      hasMore: lists[1].hasNextPage,
    },
  ];
  const start = startOf(filters.period);
  const horizons = [horizonOf(recordings), horizonOf(transcriptions)] as const;
  const entries = merge(recordings, transcriptions);
  const isOlder = (horizon: string) => isFiltered(filters) && horizon !== '' && horizon >= start;
  const hasEnough = entries.filter(fits(filters)).length >= wanted;
  const wants = (horizon: string) => isOlder(horizon) && !hasEnough;
  useAllPages(lists[0], wants(horizons[0]));
  useAllPages(lists[1], wants(horizons[1]));
  const latest = [...horizons].sort().at(-1) ?? '';
  return {
    entries,
    isPending: lists.some((list) => list.isPending),
    error: lists.find((list) => list.error)?.error,
    isFetching: lists.some((list) => list.isFetchingNextPage),
    hasMore: recordings.hasMore || transcriptions.hasMore,
    /** There may be more that fit. */
    hasOlder: horizons.some(isOlder),
    looksOn:
      (horizons.some(wants) || lists.some((list) => list.isPending || list.isPlaceholderData)) &&
      !lists.some((list) => list.isError),
    refetch: () => void Promise.all(lists.map((list) => list.refetch())),
    /** Of the list that is loaded least far. */
    loadMore() {
      for (const [at, list] of lists.entries())
        if (list.hasNextPage && horizons[at] === latest) void list.fetchNextPage();
    },
  };
}
