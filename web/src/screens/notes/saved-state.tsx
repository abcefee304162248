import { explain, isSignedOut } from '../../api/errors.ts';
import type { StoredNote } from '../../notes/doc.ts';
import type { Phase } from '../../notes/document.ts';
import type { DocumentView } from '../../notes/document-view.ts';
import { signInHere } from '../../resources/session.ts';
import { commonStrings } from '../../strings/common.ts';
import { shellStrings } from '../../strings/frame.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { Button } from '../../ui/button.tsx';
import styles from './note.module.css';
import { useWriters } from './writer.ts';

const said: Record<Phase, string> = {
  new: texts.emptyUnsaved,
  clean: texts.saved,
  dirty: texts.unsaved,
  sending: texts.saving,
  unsure: texts.saveFailed,
  refused: texts.saveFailed,
  conflict: texts.saveFailed,
};

/** Shows whether the note is saved. */
export function SavedState({ view, onRetry }: { view: DocumentView; onRetry(): void }) {
  const failed = view.error !== undefined;
  const isOut = isSignedOut(view.error);
  return (
    <div className={styles.saved} data-state={failed ? 'failed' : view.phase}>
      {/* "Saving" and "Saved" at each pause of typing would talk over what the person hears of their text. */}
      <span role="status" aria-live={failed ? 'polite' : 'off'}>
        {failed ? texts.saveFailed : said[view.phase]}
        {failed && `: ${explain(view.error).title}. ${explain(view.error).detail}`}
      </span>
      {view.merged && !failed && (
        <span role="status">
          <Merged note={view.merged} />
        </span>
      )}
      {failed && (
        <Button look="quiet" onClick={isOut ? () => signInHere.set(true) : onRetry}>
          {isOut ? shellStrings.signIn : commonStrings.retry}
        </Button>
      )}
    </div>
  );
}

const Merged = ({ note }: { note: StoredNote }) => texts.merged(useWriters()(note));
