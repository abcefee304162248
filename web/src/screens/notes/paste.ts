import { syntaxTree } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { noteStrings } from '../../strings/notes.ts';
import { toast } from '../../ui/toast.tsx';

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
    import('./html-to-markdown.ts')
      .then(({ toMarkdown }) => toMarkdown(html))
      // Without its code, the text is pasted as it is.
      .catch(() => ({ markdown: text, hasPictures: false }))
      .then(({ markdown, hasPictures }) => {
        insert(view, markdown || text);
        if (hasPictures) toast({ title: texts.title, detail: texts.left });
      });
    return true;
  },
});

/** Whether copied HTML says more than its plain text does. Code editors copy coloured text, which is better taken as it is. */
const hasStructure = (html: string) =>
  /<(h[1-6]|[uo]l|table|a|pre|code|blockquote|strong|b|em|i|del|s|hr|img)\b|class="?Mso/i.test(html);

const insert = (view: EditorView, text: string) =>
  view.dispatch(view.state.replaceSelection(text), { userEvent: 'input.paste', scrollIntoView: true });

function isInCode({ state }: EditorView): boolean {
  const { from } = state.selection.main;
  for (let node = syntaxTree(state).resolveInner(from, -1); ; ) {
    if (/Code(Block|Text)?$/.test(node.name)) return true;
    if (!node.parent) return false;
    node = node.parent;
  }
}
