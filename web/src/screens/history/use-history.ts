import { useAllPages } from '../../lib/use-all-pages.ts';
import { usePaused } from '../../lib/use-paused.ts';
import { useRecordingList } from '../../resources/recordings.ts';
import { useTranscriptionList } from '../../resources/transcriptions.ts';
import { horizonOf, merge } from './entries.ts';
import { type Filters, fits, isFiltered, startOf } from './filters.ts';

const searchPauseMs = 300;
/** The server has no filter by state or day, so rows are read until so many fit, or so many were read. */
const foundAtOnce = 100;
const readAtOnce = 500;

/** How far a filter looks by itself. */
export interface Reach {
  found: number;
  read: number;
}
export const firstReach: Reach = { found: foundAtOnce, read: readAtOnce };

/** Both lists, loaded as far as the filters need. */
export function useHistory(filters: Filters, reach: Reach) {
  const text = usePaused(filters.text.trim(), searchPauseMs);
  const { state } = filters;
  const recordings = partOf(useRecordingList(text, state !== 'text'), state !== 'text');
  const hasTexts = state === 'all' || state === 'text';
  const texts = partOf(useTranscriptionList(text, hasTexts), hasTexts);
  const parts = [recordings, texts] as const;
  const entries = merge(recordings, texts);
  const shown = entries.filter(fits(filters));
  const isWanted = isFiltered(filters);
  const start = startOf(filters.period);
  const [one, other] = [horizonOf(recordings), horizonOf(texts)];
  const isOlder = (horizon: string) => isWanted && horizon !== '' && horizon >= start;
  const goesOn = (horizon: string, { items }: { items: readonly unknown[] }) =>
    isOlder(horizon) && shown.length < reach.found && items.length < reach.read;
  const [lookOn, lookOnToo] = [goesOn(one, recordings), goesOn(other, texts)];
  useAllPages(recordings.list, lookOn);
  useAllPages(texts.list, lookOnToo);
  const lists = parts.flatMap(({ isOn, list }) => (isOn ? [list] : []));
  const hasOlder = isOlder(one) || isOlder(other);
  const looksOn =
    (lookOn || lookOnToo || lists.some((list) => list.isPending || list.isPlaceholderData)) &&
    !lists.some((list) => list.isError);
  return {
    shown,
    isEmpty: entries.length === 0 && !recordings.hasMore && !texts.hasMore,
    isPending: lists.some((list) => list.isPending),
    error: entries.length === 0 && lists.find((list) => list.error)?.error,
    isFetching: lists.some((list) => list.isFetchingNextPage),
    looksOn,
    /** There may be more that fit. */
    hasMore: isWanted ? hasOlder && !looksOn : recordings.hasMore || texts.hasMore,
    /** To look on from here. */
    nextReach: {
      found: shown.length + foundAtOnce,
      read: Math.max(...parts.map(({ items }) => items.length)) + readAtOnce,
    },
    refetch: () => void Promise.all(lists.map((list) => list.refetch())),
    /** Of the list that is loaded least far. */
    loadMore() {
      const latest = one > other ? one : other;
      if (recordings.hasMore && one === latest) void recordings.list.fetchNextPage();
      if (texts.hasMore && other === latest) void texts.list.fetchNextPage();
    },
  };
}

/** A list that a filter leaves out counts as one without items. */
const partOf = <Item, List extends { data: Item[] | undefined; hasNextPage: boolean }>(
  list: List & { data: Item[] | undefined },
  isOn: boolean,
) => ({ isOn, list, items: (isOn && list.data) || [], hasMore: isOn && list.hasNextPage });
