import { syntaxTree } from '@codemirror/language';
import { EditorSelection, type EditorState, type TransactionSpec } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { noteStrings } from '../../strings/notes.ts';
import { toast } from '../../ui/toast.tsx';
// Not loaded when it is needed: the text would land where the caret is by then, or nowhere if the note is closed.
import { toMarkdown } from './html-to-markdown.ts';

const texts = noteStrings.pictures;

/** Copied HTML becomes Markdown, in one step for undo. Pictures are refused in words: a note keeps text only. */
export const pasteHtml = EditorView.domEventHandlers({
  paste(event, view) {
    const { clipboardData: copied } = event;
    const html = copied?.getData('text/html') ?? '';
    const text = copied?.getData('text/plain') ?? '';
    const isPicture = [...(copied?.files ?? [])].some(({ type }) => type.startsWith('image/'));
    if (isPicture && text.trim() === '' && !/\S/.test(html.replace(/<[^>]*>/g, ''))) {
      toast({ title: texts.title, detail: texts.only, tone: 'danger' });
      return true;
    }
    if (!hasStructure(html) || isInCode(view)) return false;
    const { markdown, hasPictures } = toMarkdown(html);
    view.dispatch(insertion(view.state, markdown || text));
    if (hasPictures) toast({ title: texts.title, detail: texts.left });
    return true;
  },
});

/** Whether copied HTML says more than its plain text does. Code editors copy coloured text, which is better taken as it is. */
const hasStructure = (html: string) =>
  /<(h[1-6]|[uo]l|table|a|pre|code|blockquote|strong|b|em|i|del|s|hr|img)\b|class="?Mso/i.test(html);

const listStart = /^(?:[-*+]|\d+[.)]) /;
/** Headings, lists, quotations, tables, code and lines are that only at the beginning of a line. */
const blockStart = /^(?:#{1,6} |[-*+] |\d+[.)] |>|\||```|---$)/m;
const listMark = /^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?$/;

const isBlock = (text = '') => text.search(blockStart) === 0;

/** Puts Markdown in the place of the selection. What must begin a line does, and the text behind it begins another. */
function insertion(state: EditorState, markdown: string): TransactionSpec {
  const { from, to } = state.selection.main;
  const line = state.doc.lineAt(from);
  const before = state.sliceDoc(line.from, from);
  const after = state.sliceDoc(to, state.doc.lineAt(to).to);
  const isOnlyMark = listMark.test(before);
  // A list behind the mark of an item takes its place.
  const start = isOnlyMark && listStart.test(markdown) ? from - before.trimStart().length : from;
  const head = isBlock(markdown) && before.trim() !== '' && !isOnlyMark ? '\n\n' : '';
  const endsInBlock = isBlock(markdown.split('\n\n').at(-1)) || markdown.endsWith('```');
  const tail = endsInBlock && after.trim() !== '' ? '\n\n' : '';
  const insert = head + markdown + tail;
  return {
    changes: { from: start, to, insert },
    selection: EditorSelection.cursor(start + insert.length),
    userEvent: 'input.paste',
    scrollIntoView: true,
  };
}

function isInCode({ state }: EditorView): boolean {
  const { from } = state.selection.main;
  for (let node = syntaxTree(state).resolveInner(from, -1); ; ) {
    if (/Code(Block|Text)?$/.test(node.name)) return true;
    if (!node.parent) return false;
    node = node.parent;
  }
}
