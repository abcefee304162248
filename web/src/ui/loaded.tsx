import type { ReactNode } from 'react';
import { commonStrings } from '../strings/common.ts';
import { Button } from './button.tsx';
import { List } from './page.tsx';
import { EmptyState, ErrorState, Skeleton, type StateProps } from './states.tsx';

interface Source<Data> {
  data: Data | undefined;
  isPending: boolean;
  error: unknown;
  refetch(): unknown;
}

interface LoadedProps<Data> {
  from: Source<Data>;
  /** How many grey lines stand for it while it loads. */
  lines: number;
  children(data: Data): ReactNode;
}

/** Grey lines, then what was asked for, or why it is not there. */
export function Loaded<Data>({ from, lines, children }: LoadedProps<Data>) {
  if (from.data !== undefined) return children(from.data);
  if (from.isPending) return <Skeleton lines={lines} />;
  return <ErrorState error={from.error} onRetry={() => from.refetch()} />;
}

interface Pages {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage(): unknown;
}

export const LoadMore = ({ from }: { from: Pages }) =>
  from.hasNextPage && (
    <Button look="quiet" busy={from.isFetchingNextPage} onClick={() => from.fetchNextPage()}>
      {commonStrings.loadMore}
    </Button>
  );

interface LoadedListProps<Item> {
  from: Source<readonly Item[]> & Partial<Pages>;
  lines: number;
  label: string;
  /** In place of a list without items: what belongs there, or one sentence. */
  empty?: StateProps | string;
  children(item: Item): ReactNode;
}

/** The same for a list: its rows, or what stands for none, and the button for the next page. */
export const LoadedList = <Item,>({ from, lines, label, empty, children }: LoadedListProps<Item>) => (
  <>
    <Loaded from={from} lines={lines}>
      {(items) => {
        if (items.length > 0) return <List label={label}>{items.map(children)}</List>;
        return typeof empty === 'string' ? (
          <p className="muted">{empty}</p>
        ) : (
          empty && <EmptyState {...empty} />
        );
      }}
    </Loaded>
    {from.hasNextPage && <LoadMore from={from as Pages} />}
  </>
);
