import { useEffect, useMemo, useRef, useState } from 'react';
import { isNoteGone } from '../../api/errors.ts';
import type { Moment } from '../../features/transcript/use-moment.ts';
import { classNames } from '../../lib/class-names.ts';
import { keysOf } from '../../lib/command-table.ts';
import { useCommands } from '../../lib/commands.ts';
import { Link, navigate, useLocation } from '../../lib/router.tsx';
import { useStore } from '../../lib/store.ts';
import type { NoteDocument } from '../../notes/note-document.ts';
import { useDocuments } from '../../notes/use-documents.tsx';
import { openNote } from '../../recorder/state.ts';
import type { NotesPlace } from '../../resources/note-list.ts';
import type { OpenNote } from '../../resources/notes.ts';
import { useHasModel } from '../../resources/session.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { Button } from '../../ui/button.tsx';
import { Choice } from '../../ui/choice.tsx';
import { Icon } from '../../ui/icon.tsx';
import { later } from '../../ui/later.tsx';
import { Notice } from '../../ui/states.tsx';
import type { Caret } from './code-editor.ts';
import { Fields } from './fields.tsx';
import { WriteAbout, WritingStatus } from './language.ts';
import styles from './note.module.css';
import { NoteActions } from './note-actions.tsx';
import { NoteMeta } from './note-meta.tsx';
import { type NoteTab, NoteTabs } from './note-tabs.tsx';
import { newNoteId, useNotesPlace } from './place.ts';
import { Reading } from './reading.tsx';
import { SavedState } from './saved-state.tsx';
import { sourceInSight } from './source-position.ts';
import type { TextFieldHandle } from './text-field.tsx';
import { isJustSaid, isVoiceNote, VoicePlayer } from './voice.tsx';

const Conflict = later(async () => (await import('./conflict.tsx')).Conflict);
const Theirs = later(async () => (await import('./conflict.tsx')).Theirs);
const NoteTags = later(
  async () => (await import('./note-tags.tsx')).NoteTags,
  <div className={styles.tags} />,
);
const modes = [
  { value: 'read', label: texts.read },
  { value: 'write', label: texts.write, shortcut: keysOf('write') },
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
  const documents = useDocuments();
  const { search } = useLocation();
  const document = useDocument(draftId, note, place);
  const view = useStore(document.view);
  const paper = useRef<HTMLElement>(null);
  const [writing, setWriting] = useState(
    note === undefined || !['clean', 'new'].includes(document.view.get().phase),
  );
  const [chosen, setChosen] = useState<NoteTab>(() =>
    writing || document.view.get().content.trim() !== '' || note?.enhanced_content ? 'notes' : 'transcript',
  );
  const hasModel = useHasModel();
  const moment = useMoment(place.at);
  useEffect(() => {
    if (moment) setChosen('transcript');
  }, [moment]);
  const isVoice = note !== undefined && isVoiceNote(note);
  const tab = isVoice ? chosen : 'notes';
  const isWriting = writing && tab === 'notes';
  const caret = useRef<Caret>(undefined);
  const fields = useRef<TextFieldHandle>(null);
  const [titleAt, setTitleAt] = useState(note === undefined ? 0 : undefined);

  /** The last caret position, or the clicked place, or the first visible block, or the end of the text. */
  function write(clicked?: number) {
    const { content } = document.view.get();
    const pane = paper.current?.parentElement;
    const seen = pane && pane.scrollTop > 0 ? sourceInSight(content, pane) : undefined;
    const known = clicked === undefined ? lastCarets.get(draftId) : undefined;
    caret.current = known ?? caretAt(clicked ?? seen ?? content.length);
    setTitleAt(undefined);
    setWriting(true);
    setChosen('notes');
  }
  function rename(at = view.title.length) {
    setTitleAt(at);
    setWriting(true);
    setChosen('notes');
  }
  // Another tab of this browser writes: what is typed or ticked here would be lost.
  const isReadOnly = view.isElsewhere;
  useCommands(isReadOnly ? [] : [{ id: 'write', run: () => write() }]);
  /** The keys of the note work from here on. */
  function read() {
    paper.current?.focus({ preventScroll: true });
    setWriting(false);
  }
  /** The buttons go when one of them is pressed. The next words belong to the text. */
  function decide(keep: Parameters<typeof document.resolve>[0]) {
    document.resolve(keep);
    if (fields.current) fields.current.focus();
    else paper.current?.focus({ preventScroll: true });
  }
  useEffect(() => (writing ? document.write() : undefined), [document, writing]);
  useRecordable(note?.id, view.title);
  const inConflict = view.theirs !== undefined;
  // The same header for reading and editing, so that no word moves on a click.
  const aboveText = note && (
    <>
      <NoteMeta note={note} isElsewhere={view.isElsewhere} />
      <NoteTags note={note} isReadOnly={isReadOnly} />
      {isVoice && (
        <>
          <VoicePlayer noteId={note.id} title={view.title} />
          <NoteTabs value={tab} onChange={setChosen} />
        </>
      )}
      {hasModel && <WritingStatus noteId={note.id} />}
    </>
  );
  return (
    <article className={styles.note} ref={paper} tabIndex={-1}>
      <header className={styles.toolbar}>
        <Link className={styles.back} to={place.listHref}>
          <Icon name="back" />
          {texts.back}
        </Link>
        <SavedState view={view} onRetry={document.retry} />
        {!isReadOnly && (
          <Choice
            label={texts.mode}
            value={isWriting ? 'write' : 'read'}
            options={modes}
            onChange={(mode) => (mode === 'write' ? write() : setWriting(false))}
          />
        )}
        {note && <NoteActions note={note} text={isJustSaid(note, view) ? note.content : view.content} />}
      </header>
      {note && hasModel && <WriteAbout noteId={note.id} onBegun={() => setChosen('notes')} />}
      {isReadOnly && (
        <Notice title={texts.elsewhere.title}>
          <p>{texts.elsewhere.detail}</p>
          <Button onClick={() => document.writeHere().then(() => write())}>{texts.elsewhere.write}</Button>
        </Notice>
      )}
      {view.phase === 'refused' && isNoteGone(view.error) && (
        <Notice tone="warning" title={texts.deletedMeanwhile.title}>
          <Button
            onClick={() => {
              const draft = documents.saveAsNew(document);
              navigate(`/notes/${newNoteId}${search}`, { state: { draft }, replace: true });
            }}
          >
            {texts.deletedMeanwhile.save}
          </Button>
        </Notice>
      )}
      {view.lostPlace && <Notice tone="warning" title={texts.lostPlace} />}
      {view.theirs && <Conflict onKeep={decide} />}
      <div className={classNames(styles.sheets, inConflict && styles.two)}>
        {isWriting && !isReadOnly ? (
          <Fields
            ref={fields}
            document={document}
            titleAt={titleAt}
            caret={caret.current ?? caretAt(view.content.length)}
            aboveText={aboveText}
            isVoiceNote={isVoice}
            onCaret={(last) => lastCarets.set(draftId, last)}
            onLeave={read}
          />
        ) : (
          <Reading
            note={note}
            document={document}
            query={query}
            aboveText={aboveText}
            tab={tab}
            moment={moment}
            onWrite={isReadOnly ? undefined : write}
            onRename={isReadOnly ? undefined : rename}
          />
        )}
        {view.theirs && <Theirs theirs={view.theirs} mine={view} />}
      </div>
    </article>
  );
}

/** Following a link to the same moment again is asking again. */
function useMoment(at: number | undefined): Moment | undefined {
  const { key } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new one for each step of the history
  return useMemo(() => (at === undefined ? undefined : { seconds: at }), [at, key]);
}

/** While a note is open, a recording may go into it. */
function useRecordable(id: string | undefined, title: string): void {
  useEffect(() => {
    if (id === undefined) return;
    openNote.set({ id, name: title || texts.untitled });
    return () => openNote.set(undefined);
  }, [id, title]);
}

/** The document of the note on the screen. Leaving the editor saves it. */
function useDocument(
  key: string,
  note: OpenNote | undefined,
  { folderId, spaceId }: NotesPlace,
): NoteDocument {
  const documents = useDocuments();
  const { state, search } = useLocation();
  const [document] = useState(() => documents.documentOf({ key, note, folderId, spaceId }));
  const { noteId } = useStore(document.view);
  useEffect(() => {
    if (!note && noteId) navigate(`/notes/${noteId}${search}`, { replace: true, state });
  }, [note, noteId, search, state]);
  useEffect(() => {
    if (note) document.adopt(note);
  }, [document, note]);
  useEffect(() => documents.opened(document), [documents, document]);
  return document;
}
