import { useEffect, useRef } from 'react';
import { ApiError, explain, UnreachableError } from '../../api/errors.ts';
import { commonStrings } from '../../strings/common.ts';
import { Button } from '../../ui/button.tsx';
import styles from './note-list.module.css';

const whileAwayMs = 5_000;

interface Props {
  /** How many there are. A page that comes at once is never seen to be busy, but there are more then. */
  loaded: number;
  busy: boolean;
  /** Why the last page did not come. */
  error: unknown;
  onVisible(): void;
}

/** Loads more when scrolled into view. The button is for keyboards and screen readers, and after a refusal. */
export function LoadMore({ loaded, busy, error, onVisible }: Props) {
  const ref = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an observer tells of changes, so a longer list needs a new one
  useEffect(() => {
    const waitMs = error ? waitAfter(error) : 0;
    if (busy || waitMs === undefined) return;
    // While the page is busy, changes pile up, and one call tells them all: the last one is how things are.
    const observer = new IntersectionObserver((changes) => changes.at(-1)?.isIntersecting && onVisible());
    const timer = setTimeout(() => ref.current && observer.observe(ref.current), waitMs);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [loaded, busy, error, onVisible]);
  return (
    <div ref={ref} className={styles.more}>
      {error != null && <p role="status">{explain(error).detail}</p>}
      <Button look="quiet" busy={busy} onClick={() => onVisible()}>
        {commonStrings.loadMore}
      </Button>
    </div>
  );
}

/** How long the server wants to be left alone; undefined when asking again would change nothing. */
function waitAfter(error: unknown): number | undefined {
  if (error instanceof UnreachableError) return whileAwayMs;
  if (!(error instanceof ApiError)) return undefined;
  if (error.retryAfterSeconds) return error.retryAfterSeconds * 1000;
  return error.status === 429 || error.status >= 500 ? whileAwayMs : undefined;
}
