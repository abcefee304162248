import { EditorSelection, type StateCommand } from '@codemirror/state';
import { type Command, EditorView } from '@codemirror/view';

const listItem = /^(\s*)(?:([-*+])|(\d{1,9})([.)]))(\s+)(\[[ xX]\]\s+)?/;
const quoted = /^(\s*>\s?)+/;

/** The prefix of the next line: a list mark with the next number and an empty box, or a quotation mark. */
function nextMark(line: string): { mark: string; length: number } | undefined {
  const item = line.match(listItem);
  if (item) {
    const [whole, indent = '', bullet, number, after = '', space = ' ', box] = item;
    const mark = bullet ?? `${Number(number) + 1}${after}`;
    return { mark: `${indent}${mark}${space}${box ? '[ ] ' : ''}`, length: whole.length };
  }
  const quote = line.match(quoted)?.[0];
  return quote === undefined ? undefined : { mark: quote, length: quote.length };
}

/** Enter continues a list; on an empty item it ends the list. */
export const continueList: StateCommand = ({ state, dispatch }) => {
  const { main } = state.selection;
  const line = state.doc.lineAt(main.head);
  const next = nextMark(line.text);
  if (!main.empty || !next || main.head - line.from < next.length) return false;
  const isEmpty = line.text.length === next.length;
  const change = isEmpty
    ? { from: line.from, to: line.to, insert: '' }
    : { from: main.head, insert: state.lineBreak + next.mark };
  const caret = isEmpty ? line.from : main.head + state.lineBreak.length + next.mark.length;
  dispatch(
    state.update({
      changes: change,
      selection: EditorSelection.cursor(caret),
      scrollIntoView: true,
      userEvent: 'input',
    }),
  );
  return true;
};

/** Puts `mark` around the selection or the caret, or removes it. */
export const emphasise =
  (mark: string): StateCommand =>
  ({ state, dispatch }) => {
    const change = state.changeByRange(({ from, to }) => {
      const size = mark.length;
      const isMarked = state.sliceDoc(from - size, from) === mark && state.sliceDoc(to, to + size) === mark;
      return isMarked
        ? {
            changes: [
              { from: from - size, to: from },
              { from: to, to: to + size },
            ],
            range: EditorSelection.range(from - size, to - size),
          }
        : {
            changes: [
              { from, insert: mark },
              { from: to, insert: mark },
            ],
            range: EditorSelection.range(from + size, to + size),
          };
    });
    dispatch(state.update(change, { scrollIntoView: true, userEvent: 'input' }));
    return true;
  };

/** Turns the selection into a link and puts the caret where its address goes. Without a selection it ignores the key. */
export const linkSelection: Command = ({ state, dispatch }) => {
  const { from, to, empty } = state.selection.main;
  if (empty) return false;
  const text = state.sliceDoc(from, to);
  dispatch(
    state.update({
      changes: { from, to, insert: `[${text}]()` },
      selection: EditorSelection.cursor(from + text.length + 3),
      userEvent: 'input',
    }),
  );
  return true;
};

/**
 * Types over a selection. Left to the browser, it would wrap the new text in a `<span style>` that looks like the old one,
 * which our Content-Security-Policy reports.
 */
export const typeOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    if (event.inputType !== 'insertText' || view.composing || view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(event.data ?? ''), {
      userEvent: 'input.type',
      scrollIntoView: true,
    });
    return true;
  },
});

/** An address pasted over selected text makes it a link. */
export const pasteLink = EditorView.domEventHandlers({
  paste(event, view) {
    const address = event.clipboardData?.getData('text/plain').trim() ?? '';
    const { from, to, empty } = view.state.selection.main;
    if (empty || !/^https?:\/\/\S+$/.test(address)) return false;
    const text = view.state.sliceDoc(from, to);
    if (text.includes('\n') || /^https?:/.test(text)) return false;
    const insert = `[${text}](${address})`;
    view.dispatch({
      changes: { from, to, insert },
      selection: EditorSelection.cursor(from + insert.length),
      userEvent: 'input.paste',
    });
    return true;
  },
});
