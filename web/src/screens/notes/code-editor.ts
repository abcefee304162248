import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { defineLanguageFacet, HighlightStyle, Language, syntaxHighlighting } from '@codemirror/language';
import { Annotation, EditorState, StateEffect, StateField, Transaction } from '@codemirror/state';
import { Decoration, EditorView, keymap, placeholder } from '@codemirror/view';
import { styleTags, tags } from '@lezer/highlight';
import { GFM, parser } from '@lezer/markdown';
import { compare } from '../../lib/diff.ts';
import { continueList, emphasise, linkSelection, pasteLink, typeOver } from './markdown-commands.ts';
import { pasteHtml } from './paste.ts';

// It must be there with the first key.
export { FindInText } from './find-in-text.tsx';

export interface Caret {
  anchor: number;
  head: number;
}

export interface EditorOptions {
  /** Gets the editor's shadow root, the only place where our Content-Security-Policy allows the editor's styles. */
  host: HTMLElement;
  text: string;
  label: string;
  hint: string;
  caret: Caret;
  onChange(text: string): void;
}

export interface CodeEditor {
  /** With a selection, if one is given. */
  focus(selection?: Caret): void;
  /** Brings a place into sight, and shows it while the focus is elsewhere. */
  mark(place: Caret | undefined): void;
  /** Shows a text that was not typed here, as small changes. Undo does not touch them: it would undo another person's words. */
  replace(text: string): void;
  caret(): Caret;
  close(): void;
}

/** Markdown alone, without the parsers for code in other languages that `@codemirror/lang-markdown` brings. */
const marks = styleTags({
  'HeaderMark QuoteMark ListMark EmphasisMark LinkMark CodeMark CodeInfo': tags.meta,
});
const markdown = new Language(
  defineLanguageFacet(),
  parser.configure([GFM, { props: [marks] }]),
  [],
  'markdown',
);

const look = HighlightStyle.define([
  { tag: tags.heading1, fontFamily: 'var(--serif)', fontSize: '1.4rem', fontWeight: '600' },
  { tag: tags.heading2, fontFamily: 'var(--serif)', fontSize: '1.2rem', fontWeight: '600' },
  { tag: tags.heading, fontFamily: 'var(--serif)', fontWeight: '600' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: tags.monospace, fontFamily: 'var(--mono)', fontSize: '0.92em' },
  { tag: tags.quote, color: 'var(--ink-soft)' },
  { tag: [tags.link, tags.url], color: 'var(--accent)' },
  { tag: tags.atom, color: 'var(--accent)' },
  { tag: [tags.meta, tags.processingInstruction, tags.contentSeparator], color: 'var(--ink-muted)' },
]);

const page = EditorView.theme({
  '&': { color: 'var(--ink)', fontSize: 'var(--text-l)' },
  '&.cm-focused': { outline: 'none' },
  // The note's pane scrolls, not the field in it.
  '.cm-scroller': { overflow: 'visible', fontFamily: 'inherit', lineHeight: '1.7' },
  '.cm-content': { minHeight: '16rem', padding: '0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0', unicodeBidi: 'plaintext' },
  '.cm-found': { background: 'var(--mark)', outline: '2px solid var(--accent)' },
  '.cm-placeholder': { color: 'var(--ink-muted)' },
});

const setMark = StateEffect.define<Caret | undefined>();
const marked = StateField.define({
  create: () => Decoration.none,
  update(before, { effects, changes }) {
    const set = effects.findLast((effect) => effect.is(setMark));
    if (!set) return before.map(changes);
    const place = set.value;
    return place ? Decoration.set(found.range(place.anchor, place.head)) : Decoration.none;
  },
  provide: (field) => EditorView.decorations.from(field),
});
const found = Decoration.mark({ class: 'cm-found' });

const fromOutside = Annotation.define<boolean>();

function changesBetween(before: string, next: string) {
  let at = 0;
  return compare(before, next).flatMap(({ kind, text }) => {
    const from = at;
    if (kind !== 'added') at += text.length;
    if (kind === 'same') return [];
    return [kind === 'added' ? { from, insert: text } : { from, to: at }];
  });
}

/** Runs the editor once, so that the browser has compiled its code. */
export function openAndClose(): void {
  const host = document.createElement('div');
  const text = '# Heading\n\n- [ ] **bold**, _italic_, `code`, [link](https://example.org)\n';
  openEditor({ host, text, label: '', hint: '', caret: { anchor: 0, head: 0 }, onChange: () => {} }).close();
}

export function openEditor(options: EditorOptions): CodeEditor {
  const { host, text, label, hint, caret, onChange } = options;
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const within = (at: number) => Math.min(at, text.length);
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      selection: { anchor: within(caret.anchor), head: within(caret.head) },
      extensions: [
        history(),
        keymap.of([
          { key: 'Enter', run: continueList },
          // Esc leaves the field, so Tab is no trap.
          indentWithTab,
          { key: 'Mod-b', run: emphasise('**') },
          { key: 'Mod-i', run: emphasise('_') },
          { key: 'Mod-k', run: linkSelection },
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        markdown,
        syntaxHighlighting(look),
        page,
        pasteLink,
        pasteHtml,
        typeOver,
        marked,
        placeholder(hint),
        EditorView.lineWrapping,
        EditorView.perLineTextDirection.of(true),
        EditorView.contentAttributes.of({
          'aria-label': label,
          spellcheck: 'true',
          autocorrect: 'on',
          autocapitalize: 'sentences',
        }),
        EditorView.updateListener.of((update) => {
          const isTyped = update.transactions.some((one) => one.docChanged && !one.annotation(fromOutside));
          if (isTyped) onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  // With the caret at the end of the text, the page need not scroll there.
  if (caret.head < text.length)
    view.dispatch({ effects: EditorView.scrollIntoView(caret.head, { y: 'nearest', yMargin: 80 }) });
  return {
    focus(selection) {
      if (selection) view.dispatch({ selection });
      view.focus();
    },
    mark(place) {
      const effects: StateEffect<unknown>[] = [setMark.of(place)];
      if (place) effects.push(EditorView.scrollIntoView(place.anchor, { y: 'center' }));
      view.dispatch({ effects });
    },
    replace(next) {
      const before = view.state.doc.toString();
      if (next === before) return;
      view.dispatch({
        changes: changesBetween(before, next),
        annotations: [Transaction.addToHistory.of(false), fromOutside.of(true)],
      });
    },
    caret() {
      const { anchor, head } = view.state.selection.main;
      return { anchor, head };
    },
    close: () => view.destroy(),
  };
}
