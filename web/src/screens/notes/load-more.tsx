import { useEffect, useRef } from 'react';
import { explain, StenoError, UnreachableError } from '../../api/errors.ts';
import { commonStrings } from '../../strings/common.ts';
import { Button } from '../../ui/button.tsx';
import styles from './note-list.module.css';

const whileAwayMs = 5_000;

interface Props {
  /** How many items there are. A page that loads at once never shows as busy, but changes this number. */
  loaded: number;
  busy: boolean;
  /** Why the last page failed. */
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
    // On a busy page, one call reports several changes; the last one is the current state.
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

/** How long to wait before a retry; undefined if a retry would change nothing. */
function waitAfter(error: unknown): number | undefined {
  if (error instanceof UnreachableError) return whileAwayMs;
  if (!(error instanceof StenoError)) return undefined;
  if (error.retryAfter) return error.retryAfter * 1000;
  return error.status === 429 || error.status >= 500 ? whileAwayMs : undefined;
}
