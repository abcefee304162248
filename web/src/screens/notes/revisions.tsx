import { useMemo, useState } from 'react';
import { compare } from '../../lib/diff.ts';
import { formatDateTime } from '../../lib/format.ts';
import { type Note, showSaved } from '../../resources/notes.ts';
import { restoreRevision, useRevision, useRevisions } from '../../resources/revisions.ts';
import { commonStrings } from '../../strings/common.ts';
import { noteStrings } from '../../strings/notes.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import styles from './revisions.module.css';
import { useWriters } from './writer.ts';

const texts = noteStrings.revisions;
const views = [
  { value: 'changes', label: texts.changes },
  { value: 'text', label: texts.text },
] as const;

/** The revisions of a note: read them, compare them with the current text, restore one. */
export function Revisions({ note, onClose }: { note: Note; onClose(): void }) {
  const list = useRevisions(note.id);
  const writerOf = useWriters(noteStrings.yourself);
  const [chosen, setChosen] = useState<string>();
  const id = chosen ?? list.data?.[0]?.id;
  const restore = useAction(
    () => restoreRevision(note.id, id ?? ''),
    (restored) => {
      showSaved(restored);
      toast({ title: texts.restored });
      onClose();
    },
  );
  return (
    <Dialog
      open
      wide
      onClose={onClose}
      title={texts.title}
      footer={
        list.data?.length ? (
          <>
            <Button onClick={onClose}>{commonStrings.close}</Button>
            <Button look="primary" busy={restore.isPending} onClick={() => restore.mutate()}>
              {texts.restore}
            </Button>
          </>
        ) : undefined
      }
    >
      <Loaded from={list} lines={4}>
        {(known) =>
          id === undefined ? (
            <EmptyState icon="history" {...texts.empty} />
          ) : (
            <>
              <SelectField
                label={texts.choose}
                value={id}
                options={distinct(
                  known.map((one) => ({
                    id: one.id,
                    name: texts.until(formatDateTime(one.kept_at), writerOf(one)),
                  })),
                )}
                onChoose={setChosen}
              />
              <OneRevision note={note} id={id} />
            </>
          )
        }
      </Loaded>
    </Dialog>
  );
}

/** Two texts may be replaced in one minute: then each has its number. */
const distinct = (all: readonly { id: string; name: string }[]) =>
  all.map(({ id, name }) => {
    const same = all.filter((other) => other.name === name);
    const at = same.findIndex((other) => other.id === id);
    return { id, name: same.length === 1 ? name : texts.nth(name, at + 1, same.length) };
  });

/** In the order of the page. */
const whole = ({ title, enhanced_content, content }: Pick<Note, 'title' | 'enhanced_content' | 'content'>) =>
  [title, enhanced_content, content].filter(Boolean).join('\n\n');

function OneRevision({ note, id }: { note: Note; id: string }) {
  const revision = useRevision(note.id, id);
  const [view, setView] = useState<'changes' | 'text'>('changes');
  const before = revision.data && whole(revision.data);
  const now = whole(note);
  const parts = useMemo(() => (before === undefined ? [] : compare(before, now)), [before, now]);
  return (
    <Loaded from={revision} lines={6}>
      {() => (
        <>
          <div className={styles.view}>
            <Choice label={texts.show} value={view} options={views} onChange={setView} />
            {view === 'changes' && <p className="muted">{texts.legend}</p>}
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a text that scrolls must be reached by keyboard */}
          <section className={styles.text} dir="auto" tabIndex={0} aria-label={texts.text}>
            {view === 'text'
              ? before
              : parts.map(({ kind, text }, at) => {
                  const Marked = kind === 'same' ? 'span' : kind === 'added' ? 'ins' : 'del';
                  // biome-ignore lint/suspicious/noArrayIndexKey: the parts do not move
                  return <Marked key={at}>{text}</Marked>;
                })}
          </section>
        </>
      )}
    </Loaded>
  );
}
