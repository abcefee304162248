import { usePaused } from '../lib/use-paused.ts';

const restMs = 1_000;

/** What is found, say. While it changes with each letter that is typed, screen readers wait. */
export function Status({
  children,
  className = 'muted',
}: {
  children: string;
  className?: string | undefined;
}) {
  const isChanging = usePaused(children, restMs) !== children;
  return (
    <p className={className} role="status" aria-busy={isChanging || undefined}>
      {children}
    </p>
  );
}
