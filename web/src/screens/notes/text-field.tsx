import {
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { noteStrings as texts } from '../../strings/notes.ts';
import type { Caret, CodeEditor } from './code-editor.ts';
import styles from './note.module.css';
import { useGrowing } from './use-growing.ts';

/** A shorter text is drawn as a whole. Then the browser's own search finds more than ours: the title, what was said. */
const drawnChars = 1_500;

type EditorCode = typeof import('./code-editor.ts');
let code: EditorCode | undefined;

/** Fetches the editor's code ahead of time. If that fails, a plain field takes its place. */
async function loadTextField(): Promise<void> {
  code = await import('./code-editor.ts').catch(() => undefined);
}

/** Creates one editor in an idle moment: the first of a page takes three times as long as the second. */
export async function prepareTextField(): Promise<void> {
  await loadTextField();
  window.requestIdleCallback?.(() => code?.openAndClose());
}

export interface TextFieldHandle {
  focus(): void;
}

interface Props {
  text: string;
  /** The current text. */
  latest(): string;
  /** Where the caret starts. */
  caret: Caret;
  /** Take the focus when it appears. */
  focused: boolean;
  onChange(text: string): void;
  /** Where the caret was when the field closes. */
  onLeave(caret: Caret): void;
  ref: Ref<TextFieldHandle>;
}

/** The text of a note, with its Markdown visible. Until the editor is loaded, a plain field takes what is typed. */
export function TextField({ caret, focused, ...rest }: Props) {
  const [loaded, setLoaded] = useState(code);
  const start = useRef({ caret, focused });
  const plain = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (loaded) return;
    let wanted = true;
    void loadTextField().then(() => {
      const field = plain.current;
      if (wanted && code && field?.dataset.composing !== '') setLoaded(code);
    });
    return () => {
      wanted = false;
    };
  }, [loaded]);
  return loaded ? (
    <Rich {...rest} start={start} code={loaded} />
  ) : (
    <Plain {...rest} start={start} field={plain} />
  );
}

interface FieldProps extends Omit<Props, 'caret' | 'focused'> {
  /** Set by the plain field when it is replaced, so that typing continues in the editor. */
  start: RefObject<Pick<Props, 'caret' | 'focused'>>;
}

function Rich({ text, latest, start, onChange, onLeave, ref, code }: FieldProps & { code: EditorCode }) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor>(undefined);
  const current = useRef({ onChange, onLeave });
  current.current = { onChange, onLeave };
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor keeps its text and caret itself
  useLayoutEffect(() => {
    if (!host.current) return;
    const opened = code.openEditor({
      host: host.current,
      text: latest(),
      caret: start.current.caret,
      label: texts.content,
      hint: texts.contentPlaceholder,
      onChange: (next) => current.current.onChange(next),
    });
    editor.current = opened;
    if (start.current.focused) opened.focus();
    return () => {
      current.current.onLeave(opened.caret());
      opened.close();
    };
  }, []);
  // The text may change from outside: another version is taken, a revision restored. Compare with the current text: an
  // older one would undo what was typed since.
  // biome-ignore lint/correctness/useExhaustiveDependencies: `text` says that it has changed
  useLayoutEffect(() => editor.current?.replace(latest()), [text, latest]);
  useImperativeHandle(ref, () => ({ focus: () => editor.current?.focus() }), []);
  return (
    <>
      {text.length > drawnChars && (
        <code.FindInText
          text={text}
          onFound={(place) => editor.current?.mark(place)}
          onClose={(place) => editor.current?.focus(place)}
        />
      )}
      <div ref={host} className={styles.textHost} data-types-text />
    </>
  );
}

const caretOf = ({ selectionStart, selectionEnd }: HTMLTextAreaElement): Caret => ({
  anchor: selectionStart,
  head: selectionEnd,
});

interface PlainProps extends FieldProps {
  field: RefObject<HTMLTextAreaElement | null>;
}

function Plain({ text, start, onChange, onLeave, ref, field }: PlainProps) {
  useImperativeHandle(ref, () => ({ focus: () => field.current?.focus() }), [field]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the field appears and leaves
  useLayoutEffect(() => {
    const shown = field.current;
    if (!shown) return;
    if (start.current.focused) shown.focus({ preventScroll: true });
    shown.setSelectionRange(start.current.caret.anchor, start.current.caret.head);
    return () => {
      const caret = caretOf(shown);
      start.current = { caret, focused: document.activeElement === shown };
      onLeave(caret);
    };
  }, []);
  useGrowing(field, text);
  const before = field.current && { text: field.current.value, caret: caretOf(field.current) };
  // A browser moves the caret to the end when the text changes from outside.
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was there before this text
  useLayoutEffect(() => {
    if (!before || before.text === text) return;
    const stays = (at: number) =>
      text.startsWith(before.text.slice(0, at)) ? at : Math.max(0, text.length - before.text.length + at);
    field.current?.setSelectionRange(stays(before.caret.anchor), stays(before.caret.head));
  }, [text]);
  return (
    <textarea
      ref={field}
      className={styles.textInput}
      dir="auto"
      aria-label={texts.content}
      placeholder={texts.contentPlaceholder}
      value={text}
      onChange={(event) => onChange(event.target.value)}
      onCompositionStart={({ currentTarget }) => {
        currentTarget.dataset.composing = '';
      }}
      onCompositionEnd={({ currentTarget }) => {
        delete currentTarget.dataset.composing;
      }}
    />
  );
}
