import { useDeferredValue, useMemo } from 'react';
import { compare } from '../../lib/diff.ts';
import { formatRelative } from '../../lib/format.ts';
import type { StoredNote } from '../../notes/doc.ts';
import type { Text } from '../../notes/merge.ts';
import { noteStrings } from '../../strings/notes.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/states.tsx';
import styles from './note.module.css';
import { useWriters } from './writer.ts';

const texts = noteStrings.conflict;

/** Two texts for the same place: the person chooses. */
export function Conflict({ onKeep }: { onKeep(what: 'mine' | 'theirs' | 'both'): void }) {
  return (
    <div className={styles.conflict}>
      <Notice tone="warning" title={texts.title}>
        <p>{texts.detail}</p>
        <p>{texts.versions}</p>
        <p className={styles.conflictActions}>
          <Button look="primary" onClick={() => onKeep('both')}>
            {texts.both}
          </Button>
          <Button onClick={() => onKeep('mine')}>{texts.mine}</Button>
          <Button onClick={() => onKeep('theirs')}>{texts.theirs}</Button>
        </p>
      </Notice>
    </div>
  );
}

/** The other text, with the words marked that are not in mine. */
export function Theirs({ theirs, mine }: { theirs: StoredNote; mine: Text }) {
  const who = useWriters()(theirs);
  const written = useDeferredValue(mine.content);
  const parts = useMemo(() => compare(written, theirs.content), [written, theirs.content]);
  return (
    <aside className={styles.theirs} aria-label={texts.other(who, '')}>
      <p className="muted">
        {texts.other(who, formatRelative(theirs.edited_at ?? new Date().toISOString()))}
      </p>
      <h3 dir="auto">{theirs.title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reached by keyboard */}
      <div dir="auto" tabIndex={0}>
        {parts.map(({ kind, text }, at) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts do not move
          kind === 'same' ? <span key={at}>{text}</span> : kind === 'added' && <ins key={at}>{text}</ins>,
        )}
      </div>
    </aside>
  );
}
