import type { MouseEvent, ReactNode } from 'react';
import type { Moment } from '../../features/transcript/use-moment.ts';
import { useStore } from '../../lib/store.ts';
import type { NoteDocument } from '../../notes/note-document.ts';
import type { OpenNote } from '../../resources/notes.ts';
import { useHasModel } from '../../resources/session.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import { later } from '../../ui/later.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { Marked } from './found-words.tsx';
import { Enhanced } from './language.ts';
import styles from './note.module.css';
import { type NoteTab, panelOf } from './note-tabs.tsx';
import { sourceAt, titleAt, toggleTask } from './source-position.ts';
import { isVoiceNote, VoiceText } from './voice.tsx';

const markdown = () => import('./markdown.tsx');
const Markdown = later(async () => (await markdown()).Markdown, <Skeleton lines={5} />);

/** Fetches the code that shows Markdown ahead of time. */
export const loadMarkdown = () => markdown().catch(() => {});

/** Selecting text is no click. */
const isClick = () => window.getSelection()?.isCollapsed === true;

interface Props {
  note: OpenNote | undefined;
  document: NoteDocument;
  query: string;
  /** When it was created, and the player of a voice note. */
  aboveText: ReactNode;
  tab: NoteTab;
  /** Where to begin in what was said. */
  moment: Moment | undefined;
  /** Called with the place in the text that was clicked. Undefined while the note cannot be written here. */
  onWrite: ((at: number | undefined) => void) | undefined;
  /** Called with the place in the title that was clicked. */
  onRename: ((at: number | undefined) => void) | undefined;
}

/** The note for reading. A click in its text or title starts editing there; task boxes can be ticked. */
export function Reading({ note, document, query, aboveText, tab, moment, onWrite, onRename }: Props) {
  const { title, content } = useStore(document.view);
  const hasModel = useHasModel();
  function write({ target, clientX, clientY }: MouseEvent) {
    const isOther = target instanceof Element && target.closest('a, button, input, summary, details');
    if (!isOther && isClick()) onWrite?.(sourceAt(content, clientX, clientY));
  }
  const rename = ({ clientX, clientY }: MouseEvent) => isClick() && onRename?.(titleAt(clientX, clientY));
  const text = (
    // biome-ignore lint/a11y/noStaticElementInteractions: Ctrl+E and the button do the same
    // biome-ignore lint/a11y/useKeyWithClickEvents: Ctrl+E and the button do the same
    <div className={styles.readText} onClick={write} data-writable={onWrite ? '' : undefined}>
      <Markdown
        text={content}
        query={query}
        onTick={onWrite && ((line) => document.edit({ content: toggleTask(content, line) }))}
      />
    </div>
  );
  const enhanced = note && (note.enhanced_content || hasModel) && <Enhanced note={note} query={query} />;
  return (
    <div className={styles.paper}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Ctrl+E and the button lead to the title too */}
      <h1 className={styles.title} dir="auto" onClick={rename} data-writable={onRename ? '' : undefined}>
        <Marked text={title || texts.untitled} query={query} />
      </h1>
      {aboveText}
      {note && isVoiceNote(note) ? (
        <div className={styles.panel} {...panelOf(tab)}>
          {tab === 'transcript' && <VoiceText note={note} query={query} moment={moment} />}
          {tab === 'notes' && enhanced}
          {tab === 'notes' && content.trim() === '' && onWrite && (
            <button type="button" className={styles.writeNotes} onClick={() => onWrite(undefined)}>
              {texts.writeNotes}
            </button>
          )}
          {tab === 'notes' && content.trim() !== '' && text}
        </div>
      ) : (
        <>
          {enhanced}
          {text}
        </>
      )}
    </div>
  );
}
