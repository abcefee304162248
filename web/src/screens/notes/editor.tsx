import { useQueryClient } from '@tanstack/react-query';
import { Suspense, useEffect, useRef, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { formatDateTime } from '../../lib/format.ts';
import { useHotkeys } from '../../lib/hotkeys.ts';
import { useStore } from '../../lib/store.ts';
import type { NotesPlace } from '../../resources/note-list.ts';
import type { OpenNote } from '../../resources/notes.ts';
import { noteStrings } from '../../strings/notes.ts';
import { Choice } from '../../ui/choice.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { Caret } from './code-editor.ts';
import type { NoteDraft } from './draft.ts';
import { Fields } from './fields.tsx';
import styles from './note.module.css';
import { NoteActions } from './note-actions.tsx';
import { closeDraft, openDraft } from './open-drafts.ts';
import { useNotesPlace } from './place.ts';
import { Reading } from './reading.tsx';
import { Conflict, SavedState } from './saved-state.tsx';
import { sourceInSight } from './source-position.ts';
import { isVoiceNote, VoicePlayer } from './voice.ts';

const texts = noteStrings;
const modes = [
  { value: 'read', label: texts.read },
  { value: 'write', label: texts.write, shortcut: 'e' },
] as const;

/** Where the caret was in each note, as long as the page is open. */
const lastCarets = new Map<string, Caret>();
const caretAt = (at: number): Caret => ({ anchor: at, head: at });

interface EditorProps {
  /** The id of the note; for a new note a random one, also after it is saved. */
  draftId: string;
  /** Undefined until a new note is first saved. */
  note: OpenNote | undefined;
  query: string;
}

/** Shows and edits one note. */
export function Editor({ draftId, note, query }: EditorProps) {
  const place = useNotesPlace();
  const draft = useDraft(draftId, note, place);
  const view = useStore(draft.shown);
  const paper = useRef<HTMLElement>(null);
  const [writing, setWriting] = useState(note === undefined || draft.shown.get().state === 'unsaved');
  const caret = useRef<Caret>(undefined);

  /** The last caret position, or the clicked place, or the first visible block, or the end of the text. */
  function write(clicked?: number) {
    const pane = paper.current?.parentElement;
    const seen = pane && pane.scrollTop > 0 ? sourceInSight(view.content, pane) : undefined;
    const known = clicked === undefined ? lastCarets.get(draftId) : undefined;
    caret.current = known ?? caretAt(clicked ?? seen ?? view.content.length);
    setWriting(true);
  }
  useHotkeys({ e: () => write() });
  // The same header for reading and editing, so that no word moves on a click.
  const aboveText = note && (
    <>
      <p className={styles.meta}>{texts.created(formatDateTime(note.created_at))}</p>
      {isVoiceNote(note) && (
        <Suspense>
          <VoicePlayer noteId={note.id} />
        </Suspense>
      )}
    </>
  );
  return (
    <article className={styles.note} ref={paper}>
      <header className={styles.toolbar}>
        <Link className={styles.back} to={place.listHref}>
          <Icon name="back" />
          {texts.back}
        </Link>
        <SavedState view={view} onRetry={() => draft.save()} />
        <Choice
          label={texts.mode}
          value={writing ? 'write' : 'read'}
          options={modes}
          onChange={(mode) => (mode === 'write' ? write() : setWriting(false))}
        />
        {note && <NoteActions note={note} text={view.content} />}
      </header>
      {view.state === 'conflict' && (
        <Conflict error={view.error} onMine={() => draft.keepMine()} onTheirs={() => draft.takeTheirs()} />
      )}
      {writing ? (
        <Fields
          draft={draft}
          isNew={note === undefined}
          caret={caret.current ?? caretAt(view.content.length)}
          aboveText={aboveText}
          onCaret={(last) => lastCarets.set(draftId, last)}
          onLeave={() => setWriting(false)}
        />
      ) : (
        <Reading note={note} draft={draft} query={query} aboveText={aboveText} onWrite={write} />
      )}
    </article>
  );
}

/** The draft of the note on the screen. Leaving the editor or the page saves it. */
function useDraft(draftId: string, note: OpenNote | undefined, { folderId, spaceId }: NotesPlace): NoteDraft {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { state, search } = useLocation();
  const [draft] = useState(() => openDraft(client, { id: draftId, note, folderId, spaceId }));
  const { noteId } = useStore(draft.shown);
  useEffect(() => {
    if (!note && noteId) navigate(`/notes/${noteId}${search}`, { replace: true, state });
  }, [note, noteId, navigate, search, state]);
  useEffect(() => {
    if (note) draft.adopt(note);
  }, [draft, note]);
  useEffect(() => {
    draft.resume();
    const leave = () => draft.save({ leaving: true });
    const now = () => draft.save();
    window.addEventListener('pagehide', leave);
    window.addEventListener('online', now);
    return () => {
      window.removeEventListener('pagehide', leave);
      window.removeEventListener('online', now);
      void closeDraft(draft);
    };
  }, [draft]);
  return draft;
}
