import { type KeyboardEvent, useLayoutEffect, useRef } from 'react';
import { formatDuration } from '../../lib/format.ts';
import { keyOf } from '../../lib/key-of.ts';
import { voiceStrings as texts } from '../../strings/voice.ts';
import type { Sentence } from './spoken.ts';
import styles from './transcript.module.css';

interface Props {
  sentence: Sentence;
  /** The initial text: the sentence, or a correction that could not be saved. */
  text: string;
  /** The index of the selected word. */
  word: number;
  /** `step`: continue with the next or previous sentence. `isConfirmed`: a key says that it is right now. */
  onDone(text: string, step: -1 | 0 | 1, isConfirmed: boolean): void;
}

/** Corrects a sentence in place. Enter and leaving it save, also by scrolling it away; Esc cancels, Tab goes to the next. */
export function EditedSentence({ sentence, text, word, onDone }: Props) {
  const ref = useRef<HTMLSpanElement>(null);
  const isDone = useRef(false);
  const latest = useRef(finish);
  latest.current = finish;

  // biome-ignore lint/correctness/useExhaustiveDependencies: only when it appears; then the browser has the text
  useLayoutEffect(() => {
    const field = ref.current;
    if (!field) return;
    field.textContent = text;
    field.focus();
    const [start, end] = placeOf(sentence, word);
    const node = field.firstChild;
    if (node && end <= text.length) window.getSelection()?.setBaseAndExtent(node, start, node, end);
    const warn = (event: BeforeUnloadEvent) => field.textContent !== sentence.text && event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => {
      window.removeEventListener('beforeunload', warn);
      // A browser tells nothing of the focus of what is removed. React also calls this for what stays.
      queueMicrotask(() => field.isConnected || latest.current(field.textContent ?? '', 0, false));
    };
  }, []);

  function finish(written: string, step: -1 | 0 | 1, isConfirmed: boolean) {
    if (isDone.current) return;
    isDone.current = true;
    onDone(written.replace(/\s+/g, ' ').trim(), step, isConfirmed);
  }
  function press(event: KeyboardEvent<HTMLElement>) {
    event.stopPropagation();
    const key = keyOf(event);
    if (!['Enter', 'Escape', 'Tab'].includes(key)) return;
    event.preventDefault();
    const { currentTarget: field } = event;
    if (key === 'Tab') return finish(field.textContent ?? '', event.shiftKey ? -1 : 1, true);
    if (key === 'Enter') finish(field.textContent ?? '', 0, true);
    else finish(sentence.text, 0, false);
    // Return the focus to where it was.
    field.closest('li')?.querySelector<HTMLElement>('button[data-time]')?.focus({ preventScroll: true });
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: it stands in the middle of a paragraph
    <span
      ref={ref}
      className={styles.edited}
      role="textbox"
      tabIndex={0}
      contentEditable="plaintext-only"
      suppressContentEditableWarning
      spellCheck
      data-types-text
      aria-label={texts.whatWasSaid(formatDuration(Math.floor(sentence.start) * 1000))}
      onKeyDown={press}
      onBlur={(event) => finish(event.currentTarget.textContent ?? '', 0, false)}
      onClick={(event) => event.stopPropagation()}
    />
  );
}

/** The position of the word in the sentence. */
function placeOf({ words }: Sentence, number: number): [number, number] {
  let at = 0;
  for (const [index, { before, text }] of words.entries()) {
    if (index === number) return [at + before.length, at + before.length + text.length];
    at += before.length + text.length;
  }
  return [at, at];
}
