import { useQueryClient } from '@tanstack/react-query';
import { lazy, type RefObject, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { maxTitleLength } from '../../api/limits.ts';
import { formatDateTime } from '../../lib/format.ts';
import { useHotkeys } from '../../lib/hotkeys.ts';
import { useStore } from '../../lib/store.ts';
import type { NotesPlace } from '../../resources/note-list.ts';
import type { OpenNote } from '../../resources/notes.ts';
import { strings } from '../../strings.ts';
import { Choice } from '../../ui/choice.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Skeleton } from '../../ui/states.tsx';
import type { NoteDraft } from './draft.ts';
import { Marked } from './found-words.tsx';
import { NoteActions } from './note-actions.tsx';
import styles from './notes.module.css';
import { closeDraft, openDraft } from './open-drafts.ts';
import { useNotesPlace } from './place.ts';
import { Conflict, SavedState } from './saved-state.tsx';
import { Transcript } from './transcript.tsx';

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }));
const texts = strings.notes;
const modes = [
  { value: 'read', label: texts.read },
  { value: 'write', label: texts.write, shortcut: 'e' },
] as const;

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
  const [writing, setWriting] = useState(note === undefined || draft.shown.get().state === 'unsaved');
  useHotkeys({ e: () => setWriting(true) });
  return (
    <article className={styles.note}>
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
          onChange={(mode) => setWriting(mode === 'write')}
        />
        {note && <NoteActions note={note} text={view.content} />}
      </header>
      {view.state === 'conflict' && (
        <Conflict error={view.error} onMine={() => draft.keepMine()} onTheirs={() => draft.takeTheirs()} />
      )}
      {writing ? (
        <Fields draft={draft} isNew={note === undefined} onLeave={() => setWriting(false)} />
      ) : (
        <div className={styles.paper}>
          <h2 className={styles.title} dir="auto">
            <Marked text={view.title || texts.untitled} query={query} />
          </h2>
          {note && <p className={styles.meta}>{texts.created(formatDateTime(note.created_at))}</p>}
          <Suspense fallback={<Skeleton lines={5} />}>
            <Markdown text={view.content} query={query} />
            {note?.enhanced_content && (
              <details className={styles.extra}>
                <summary>{texts.enhanced}</summary>
                <Markdown text={note.enhanced_content} query={query} />
              </details>
            )}
          </Suspense>
          {note?.transcript && <Transcript noteId={note.id} />}
        </div>
      )}
    </article>
  );
}

function Fields({ draft, isNew, onLeave }: { draft: NoteDraft; isNew: boolean; onLeave(): void }) {
  const { title, content } = useStore(draft.shown);
  const first = useRef<HTMLTextAreaElement>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the fields appear
  useEffect(() => {
    const field = (isNew ? first : text).current;
    field?.focus({ preventScroll: true });
    // Writing goes on at the end; browsers put the caret at the beginning.
    field?.setSelectionRange(field.value.length, field.value.length);
  }, []);
  useGrowing(first, title);
  useGrowing(text, content);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc leaves both fields
    <div
      className={styles.paper}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        draft.save();
        onLeave();
      }}
    >
      <textarea
        ref={first}
        rows={1}
        className={styles.titleInput}
        dir="auto"
        aria-label={texts.noteTitle}
        placeholder={texts.titlePlaceholder}
        maxLength={maxTitleLength}
        value={title}
        onChange={(event) => draft.edit({ title: event.target.value.replace(/\s*\n\s*/g, ' ') })}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
          event.preventDefault();
          text.current?.focus();
        }}
      />
      <textarea
        ref={text}
        className={styles.textInput}
        dir="auto"
        aria-label={texts.content}
        placeholder={texts.contentPlaceholder}
        value={content}
        onChange={(event) => draft.edit({ content: event.target.value })}
      />
    </div>
  );
}

/** For browsers without `field-sizing: content`: makes a field as high as its text, so that the page scrolls, not the field. */
function useGrowing(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what makes it grow
  useLayoutEffect(() => {
    if (!field.current || CSS.supports('field-sizing', 'content')) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [field, text]);
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
