import { lazy, type MouseEvent, type ReactNode, Suspense } from 'react';
import { useStore } from '../../lib/store.ts';
import type { NoteDocument } from '../../notes/note-document.ts';
import type { OpenNote } from '../../resources/notes.ts';
import { useHasModel } from '../../resources/session.ts';
import { noteStrings } from '../../strings/notes.ts';
import { Skeleton } from '../../ui/states.tsx';
import type { Moment } from '../../ui/voice/use-moment.ts';
import { Marked } from './found-words.tsx';
import { Enhanced } from './language.ts';
import styles from './note.module.css';
import { type NoteTab, panelOf } from './note-tabs.tsx';
import { sourceAt, toggleTask } from './source-position.ts';
import { isVoiceNote, VoiceText } from './voice.ts';

const markdown = () => import('./markdown.tsx');
const Markdown = lazy(async () => ({ default: (await markdown()).Markdown }));

/** Fetches the code that shows Markdown ahead of time. */
export const loadMarkdown = () => markdown().catch(() => {});

const texts = noteStrings;

interface Props {
  note: OpenNote | undefined;
  document: NoteDocument;
  query: string;
  /** When it was created, and the player of a voice note. */
  aboveText: ReactNode;
  tab: NoteTab;
  /** Where to begin in what was said. */
  moment: Moment | undefined;
  /** Called with the place in the text that was clicked. */
  onWrite(at: number | undefined): void;
}

/** The note for reading. A click in its text starts editing there; task boxes can be ticked. */
export function Reading({ note, document, query, aboveText, tab, moment, onWrite }: Props) {
  const { title, content } = useStore(document.view);
  const hasModel = useHasModel();
  function write({ target, clientX, clientY }: MouseEvent) {
    const isOther = target instanceof Element && target.closest('a, button, input, summary, details');
    // Selecting text must not count as a click.
    if (isOther || !window.getSelection()?.isCollapsed) return;
    onWrite(sourceAt(content, clientX, clientY));
  }
  const text = (
    <Suspense fallback={<Skeleton lines={5} />}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Ctrl+E and the button do the same */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Ctrl+E and the button do the same */}
      <div className={styles.readText} onClick={write}>
        <Markdown
          text={content}
          query={query}
          onTick={(line) => document.edit({ content: toggleTask(content, line) })}
        />
      </div>
    </Suspense>
  );
  const enhanced = note && (note.enhanced_content || hasModel) && (
    <Suspense>
      <Enhanced note={note} query={query} />
    </Suspense>
  );
  return (
    <div className={styles.paper}>
      <h2 className={styles.title} dir="auto">
        <Marked text={title || texts.untitled} query={query} />
      </h2>
      {aboveText}
      {note && isVoiceNote(note) ? (
        <div className={styles.panel} {...panelOf(tab)}>
          {tab === 'transcript' && (
            <Suspense fallback={<Skeleton lines={5} />}>
              <VoiceText note={note} query={query} moment={moment} />
            </Suspense>
          )}
          {tab === 'notes' && enhanced}
          {tab === 'notes' && content.trim() === '' && (
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
