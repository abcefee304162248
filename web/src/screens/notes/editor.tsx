import { useQueryClient } from '@tanstack/react-query';
import { lazy, type RefObject, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import { maxTitleLength } from '../../api/limits.ts';
import { formatDateTime } from '../../lib/format.ts';
import { useHotkeys } from '../../lib/hotkeys.ts';
import { useStore } from '../../lib/store.ts';
import { type Note, type OpenNote, showSaved } from '../../resources/notes.ts';
import { strings } from '../../strings.ts';
import { Choice } from '../../ui/choice.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { NoteDraft } from './draft.ts';
import { Marked } from './found-words.tsx';
import { NoteActions } from './note-actions.tsx';
import styles from './notes.module.css';
import { useNotesPlace } from './place.ts';
import { Conflict, SavedState } from './saved-state.tsx';
import { Transcript } from './transcript.tsx';

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }));
const texts = strings.notes;
const modes = [
  { value: 'read', label: texts.read },
  { value: 'write', label: texts.write, shortcut: 'e' },
] as const;

/** Shows and edits one note. `note` is undefined until a new note is first saved. */
export function Editor({ note, query }: { note: OpenNote | undefined; query: string }) {
  const place = useNotesPlace();
  const draft = useDraft(note, place.folderId);
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
          <h2 className={styles.title}>
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
  useEffect(() => (isNew ? first : text).current?.focus({ preventScroll: true }), []);
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
        aria-label={texts.content}
        placeholder={texts.contentPlaceholder}
        value={content}
        onChange={(event) => draft.edit({ content: event.target.value })}
      />
    </div>
  );
}

/** Makes a field as high as its text: long titles wrap, and the page scrolls, not the field. */
function useGrowing(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what makes it grow
  useLayoutEffect(() => {
    if (!field.current) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [field, text]);
}

/** One draft while this editor is on the screen. Leaving the editor or the page saves it. */
function useDraft(note: OpenNote | undefined, folderId: string | undefined): NoteDraft {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { state, search } = useLocation();
  const onScreen = useRef(false);
  const onSaved = useRef<(saved: Note) => void>(() => {});
  onSaved.current = (saved) => {
    showSaved(client, saved);
    if (!note && onScreen.current) navigate(`/notes/${saved.id}${search}`, { replace: true, state });
  };
  const [draft] = useState(
    () => new NoteDraft({ note, folderId, onSaved: (saved) => onSaved.current(saved) }),
  );
  useEffect(() => {
    if (note) draft.adopt(note);
  }, [draft, note]);
  useEffect(() => {
    onScreen.current = true;
    draft.resume();
    const leave = () => draft.save({ leaving: true });
    const warn = (event: BeforeUnloadEvent) => {
      if (!['saved', 'empty'].includes(draft.shown.get().state)) event.preventDefault();
    };
    const now = () => draft.save();
    window.addEventListener('pagehide', leave);
    window.addEventListener('beforeunload', warn);
    window.addEventListener('online', now);
    return () => {
      window.removeEventListener('pagehide', leave);
      window.removeEventListener('beforeunload', warn);
      window.removeEventListener('online', now);
      onScreen.current = false;
      draft.save();
    };
  }, [draft]);
  return draft;
}
