import { type ReactNode, useEffect, useRef, useState } from 'react';
import { maxTitleLength } from '../../api/limits.ts';
import { keyOf } from '../../lib/key-of.ts';
import { useStore } from '../../lib/store.ts';
import type { NoteDocument } from '../../notes/note-document.ts';
import { noteStrings } from '../../strings/notes.ts';
import type { Caret } from './code-editor.ts';
import styles from './note.module.css';
import { panelOf } from './note-tabs.tsx';
import { TextField, type TextFieldHandle } from './text-field.tsx';
import { useGrowing } from './use-growing.ts';

const texts = noteStrings;

interface Props {
  document: NoteDocument;
  isNew: boolean;
  caret: Caret;
  /** When it was created, and the player of a voice note. */
  aboveText: ReactNode;
  /** It has a tab for what people write, and one for what was said. */
  isVoiceNote: boolean;
  onCaret(last: Caret): void;
  onLeave(): void;
}

/** The title and the text of a note, to write. */
export function Fields({ document, isNew, caret, aboveText, isVoiceNote, onCaret, onLeave }: Props) {
  const { title, content } = useStore(document.view);
  const [latest] = useState(() => () => document.view.get().content);
  const first = useRef<HTMLTextAreaElement>(null);
  const text = useRef<TextFieldHandle>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the fields appear
  useEffect(() => {
    if (isNew) first.current?.focus({ preventScroll: true });
  }, []);
  useGrowing(first, title);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc leaves both fields
    <div
      className={styles.paper}
      onKeyDown={(event) => {
        if (keyOf(event) !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        document.save();
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
        onChange={(event) => document.edit({ title: event.target.value.replace(/\s*\n\s*/g, ' ') })}
        onKeyDown={(event) => {
          if (keyOf(event) !== 'Enter') return;
          event.preventDefault();
          text.current?.focus();
        }}
      />
      {aboveText}
      <div className={styles.panel} {...(isVoiceNote && panelOf('notes'))}>
        <TextField
          ref={text}
          text={content}
          latest={latest}
          caret={caret}
          focused={!isNew}
          onChange={(typed) => document.edit({ content: typed })}
          onLeave={onCaret}
        />
      </div>
    </div>
  );
}
