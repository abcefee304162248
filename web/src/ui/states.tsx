import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { explain, StenoError } from '../api/errors.ts';
import { useNow } from '../lib/use-now.ts';
import { commonStrings } from '../strings/common.ts';
import { errorStrings } from '../strings/errors.ts';
import { Button } from './button.tsx';
import { Icon, type IconName } from './icon.tsx';

/** Grey lines in place of text that is loading. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div className="skeleton" role="status">
      <span className="visually-hidden">{commonStrings.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are alike and never move
        <span key={line} className="skeleton-line" />
      ))}
    </div>
  );
}

export interface StateProps {
  icon?: IconName;
  title: string;
  detail?: ReactNode;
  children?: ReactNode;
}

/** For an empty list: says what belongs here and offers the first step. */
export function EmptyState({ icon = 'note', title, detail, children }: StateProps) {
  return (
    <div className="state">
      <span className="state-icon">
        <Icon name={icon} size={28} />
      </span>
      <p className="state-title">{title}</p>
      {detail && <p className="state-detail">{detail}</p>}
      {children && <div className="state-actions">{children}</div>}
    </div>
  );
}

/** After a longer wait the person decides when to try again. */
const longestWaitSeconds = 60;

/** Explains a failure and offers to try again. When there were too many requests, it tries again by itself. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { title, detail } = explain(error);
  const waits = error instanceof StenoError && error.code === 'rate_limited' && error.retryAfter;
  return (
    <div role="alert">
      <EmptyState
        icon="alert"
        title={title}
        detail={
          onRetry && waits && waits <= longestWaitSeconds ? (
            <TriesAgain error={error} seconds={waits} onTime={onRetry} />
          ) : (
            detail
          )
        }
      >
        {onRetry && <Button onClick={onRetry}>{commonStrings.retry}</Button>}
      </EmptyState>
    </div>
  );
}

function TriesAgain({ error, seconds, onTime }: { error: unknown; seconds: number; onTime(): void }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the next refusal has its own time
  const at = useMemo(() => Date.now() + seconds * 1000, [error, seconds]);
  const now = useNow();
  const latest = useRef(onTime);
  latest.current = onTime;
  useEffect(() => {
    const timer = setTimeout(() => latest.current(), at - Date.now());
    return () => clearTimeout(timer);
  }, [at]);
  const left = Math.max(1, Math.ceil((at - now) / 1000));
  return <span role="timer">{errorStrings.rateLimited.triesAgain(left)}</span>;
}

/** One or two lines above the content, to be read first. */
export function Notice({
  tone = 'info',
  title,
  children,
}: {
  tone?: 'info' | 'warning' | 'danger' | 'success';
  title?: string;
  children?: ReactNode;
}) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'danger' ? 'alert' : 'status'}>
      <Icon name={tone === 'success' ? 'check' : tone === 'info' ? 'info' : 'alert'} />
      <div>
        {title && <strong>{title}</strong>}
        {children}
      </div>
    </div>
  );
}

/** The notice for a failed call: `<ErrorNotice error={mutation.error} />` shows nothing without one. */
export function ErrorNotice({ error }: { error: unknown }) {
  if (!error) return null;
  const { title, detail } = explain(error);
  return (
    <Notice tone="danger" title={title}>
      <p>{detail}</p>
    </Notice>
  );
}
