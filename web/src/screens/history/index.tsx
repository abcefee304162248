import { useRef, useState } from 'react';
import { useCommands } from '../../lib/commands.ts';
import { dayHeadings } from '../../lib/day-group.ts';
import { useParams, useSearchParams } from '../../lib/router.tsx';
import { askToRecord } from '../../recorder/state.ts';
import { commonStrings } from '../../strings/common.ts';
import { historyStrings as texts } from '../../strings/history.ts';
import { recorderStrings } from '../../strings/recorder.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import { FilterBar } from './filter-bar.tsx';
import { type Filters, isFiltered, noFilters, readFilters, writeFilters } from './filters.ts';
import styles from './history.module.css';
import { OneTranscription } from './one-transcription.tsx';
import { RecordingRow } from './recording-row.tsx';
import { TextRow } from './text-row.tsx';
import { firstReach, useHistory } from './use-history.ts';

export function Screen() {
  const { id } = useParams();
  return id === undefined ? <HistoryList /> : <OneTranscription id={id} />;
}

const HistoryList = () => (
  <Page title={texts.title} lead={texts.lead}>
    <Entries />
  </Page>
);

function Entries() {
  const [params, setParams] = useSearchParams();
  const filters = readFilters(params);
  const isNarrowed = isFiltered(filters);
  const search = useRef<HTMLDivElement>(null);
  useCommands([{ id: 'search', run: () => search.current?.querySelector('input')?.focus() }]);
  const [reach, setReach] = useState(firstReach);
  const history = useHistory(filters, reach);
  const { shown, error, looksOn, hasMore } = history;
  const headings = dayHeadings(shown.map(({ at }) => at));

  function change(next: Filters): void {
    setReach(firstReach);
    setParams(writeFilters(next), { replace: true });
  }
  if (error) return <ErrorState error={error} onRetry={history.refetch} />;
  if (history.isPending && !isNarrowed) return <Skeleton lines={9} />;
  if (history.isEmpty && !isNarrowed)
    return (
      <EmptyState icon="mic" {...texts.empty}>
        <Button look="primary" icon="mic" onClick={askToRecord}>
          {recorderStrings.record}
        </Button>
      </EmptyState>
    );
  return (
    <div className={styles.body} data-scope="list">
      <FilterBar filters={filters} onChange={change} searchRef={search} />
      {isNarrowed && (
        <div className={styles.found}>
          <Status>
            {looksOn ? texts.searching : hasMore ? texts.foundFirst(shown.length) : texts.found(shown.length)}
          </Status>
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
        !looksOn && <EmptyState icon="filter" {...(hasMore ? texts.noneYet : texts.nothingFound)} />
      )}
      {hasMore && (
        <Button
          look="quiet"
          busy={history.isFetching}
          onClick={() => (isNarrowed ? setReach(history.nextReach) : history.loadMore())}
        >
          {isNarrowed ? texts.lookOn : commonStrings.loadMore}
        </Button>
      )}
    </div>
  );
}
