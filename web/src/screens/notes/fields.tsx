import { type ReactNode, type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { maxTitleLength } from '../../api/limits.ts';
import { keyOf } from '../../lib/key-of.ts';
import { useStore } from '../../lib/store.ts';
import type { NoteDocument } from '../../notes/note-document.ts';
import { noteStrings as texts } from '../../strings/notes.ts';
import type { Caret } from './code-editor.ts';
import styles from './note.module.css';
import { panelOf } from './note-tabs.tsx';
import { TextField, type TextFieldHandle } from './text-field.tsx';
import { useGrowing } from './use-growing.ts';

interface Props {
  document: NoteDocument;
  /** Where to begin in the title; undefined to begin in the text. */
  titleAt: number | undefined;
  caret: Caret;
  /** When it was created, and the player of a voice note. */
  aboveText: ReactNode;
  /** It has a tab for what people write, and one for what was said. */
  isVoiceNote: boolean;
  onCaret(last: Caret): void;
  onLeave(): void;
  ref: Ref<TextFieldHandle>;
}

/** The title and the text of a note, to write. */
export function Fields({ document, titleAt, caret, aboveText, isVoiceNote, onCaret, onLeave, ref }: Props) {
  const { title, content } = useStore(document.view);
  const [latest] = useState(() => () => document.view.get().content);
  const first = useRef<HTMLTextAreaElement>(null);
  const text = useRef<TextFieldHandle>(null);
  const isInTitle = useRef(titleAt !== undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the fields appear
  useEffect(() => {
    if (titleAt === undefined) return;
    first.current?.focus({ preventScroll: true });
    first.current?.setSelectionRange(titleAt, titleAt);
  }, []);
  useImperativeHandle(
    ref,
    () => ({ focus: () => (isInTitle.current ? first.current?.focus() : text.current?.focus()) }),
    [],
  );
  useGrowing(first, title);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc leaves both fields
    <div
      className={styles.paper}
      onFocus={(event) => {
        isInTitle.current = first.current?.contains(event.target) ?? false;
      }}
      onKeyDown={(event) => {
        if (keyOf(event) !== 'Escape') return;
        event.preventDefault();
        event.stopPropagation();
        document.save();
        onLeave();
      }}
    >
      <h1 className="visually-hidden">{texts.writing}</h1>
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
          focused={titleAt === undefined}
          onChange={(typed) => document.edit({ content: typed })}
          onLeave={onCaret}
        />
      </div>
    </div>
  );
}
