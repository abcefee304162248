import { explain } from '../../api/errors.ts';
import { commonStrings } from '../../strings/common.ts';
import { noteStrings } from '../../strings/notes.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice, Notice } from '../../ui/states.tsx';
import type { DraftView, SaveState } from './draft.ts';
import styles from './note.module.css';

const texts = noteStrings;

const said: Record<SaveState, string> = {
  saved: texts.saved,
  unsaved: texts.unsaved,
  empty: texts.emptyUnsaved,
  saving: texts.saving,
  failed: texts.saveFailed,
  conflict: texts.saveFailed,
};

/** Shows whether the note is saved. */
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
          {commonStrings.retry}
        </Button>
      )}
    </div>
  );
}

interface ConflictProps {
  /** Set when reading the other version failed as well. */
  error: unknown;
  onMine(): void;
  onTheirs(): void;
}

export function Conflict({ error, onMine, onTheirs }: ConflictProps) {
  const known = error instanceof Error && 'code' in error && error.code === 'conflict';
  return (
    <div className={styles.conflict}>
      <Notice tone="warning" title={texts.conflict.title}>
        <p>{texts.conflict.detail}</p>
        <p className={styles.conflictActions}>
          <Button onClick={onMine}>{texts.conflict.mine}</Button>
          <Button onClick={onTheirs}>{texts.conflict.theirs}</Button>
        </p>
      </Notice>
      {!known && <ErrorNotice error={error} />}
    </div>
  );
}
