import { explain } from '../../api/errors.ts';
import { strings } from '../../strings.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice, Notice } from '../../ui/states.tsx';
import type { DraftView, SaveState } from './draft.ts';
import styles from './notes.module.css';

const words = strings.notes;

const said: Record<SaveState, string> = {
  saved: words.saved,
  unsaved: words.unsaved,
  empty: words.emptyUnsaved,
  saving: words.saving,
  failed: words.saveFailed,
  conflict: words.saveFailed,
};

/** Whether the note is safe, always in sight. */
export function SavedState({ view, onRetry }: { view: DraftView; onRetry(): void }) {
  const failed = view.state === 'failed';
  return (
    <div className={styles.saved} data-state={view.state}>
      <span role="status">
        {said[view.state]}
        {failed && `: ${explain(view.error).title}. ${explain(view.error).detail}`}
      </span>
      {failed && (
        <Button look="quiet" onClick={onRetry}>
          {strings.common.retry}
        </Button>
      )}
    </div>
  );
}

interface ConflictProps {
  /** Set when reading the other text failed too. */
  error: unknown;
  onMine(): void;
  onTheirs(): void;
}

export function Conflict({ error, onMine, onTheirs }: ConflictProps) {
  const known = error instanceof Error && 'code' in error && error.code === 'conflict';
  return (
    <div className={styles.conflict}>
      <Notice tone="warning" title={words.conflict.title}>
        <p>{words.conflict.detail}</p>
        <p className={styles.conflictActions}>
          <Button onClick={onMine}>{words.conflict.mine}</Button>
          <Button onClick={onTheirs}>{words.conflict.theirs}</Button>
        </p>
      </Notice>
      {!known && <ErrorNotice error={error} />}
    </div>
  );
}
