import MarkdownIt from 'markdown-it';
import { useEffect, useMemo, useRef } from 'react';
import { transcriptStrings } from '../../strings/transcript.ts';
import { findWords } from './found-words.tsx';
import styles from './markdown.module.css';
import { lineAttribute } from './source-position.ts';

// `html: false` shows tags as text, and markdown-it refuses javascript: and data: links by itself.
const markdown = new MarkdownIt({ html: false, linkify: true, breaks: true });

markdown.renderer.rules.link_open = (tokens, at, options, _env, self) => {
  tokens[at]?.attrSet('target', '_blank');
  tokens[at]?.attrSet('rel', 'noopener noreferrer');
  return self.renderToken(tokens, at, options);
};
// The console loads nothing from other hosts, so an image becomes a link.
markdown.renderer.rules.image = (tokens, at) => {
  const { escapeHtml } = markdown.utils;
  const source = String(tokens[at]?.attrGet('src') ?? '');
  const address = escapeHtml(source);
  const text = escapeHtml(tokens[at]?.content || source);
  return `<a href="${address}" target="_blank" rel="noopener noreferrer">${text}</a>`;
};

/** Each block finds its own direction, so that Arabic and Hebrew stand on the right, and says where its source is. */
markdown.core.ruler.push('blocks', ({ tokens }) => {
  for (const token of tokens) {
    const isText = /^(paragraph|heading|list_item|th|td)_open$/.test(token.type);
    if (isText) token.attrSet('dir', 'auto');
    if ((isText || token.type === 'fence') && token.map) token.attrSet(lineAttribute, String(token.map[0]));
  }
});

const task = /^\[([ xX])\]\s+/;

/** `- [x] milk` is a list of tasks. */
markdown.core.ruler.after('inline', 'tasks', ({ tokens, Token }) => {
  for (const [at, token] of tokens.entries()) {
    const item = tokens[at - 2];
    const text = token.children?.[0];
    const found = token.type === 'inline' && item?.type === 'list_item_open' && text?.content.match(task);
    if (!found || !text) continue;
    item.attrJoin('class', styles.task ?? '');
    text.content = text.content.slice(found[0].length);
    const box = new Token('html_inline', '', 0);
    const name = markdown.utils.escapeHtml(token.content.slice(found[0].length));
    box.content = `<input type="checkbox" aria-label="${name}" data-task="${token.map?.[0] ?? ''}"${found[1] === ' ' ? '' : ' checked'}> `;
    token.children?.unshift(box);
  }
});

// markdown-it writes the alignment of a table as a style attribute, which our Content-Security-Policy forbids.
for (const cell of ['th_open', 'td_open'])
  markdown.renderer.rules[cell] = (tokens, at, options, _env, self) => {
    const token = tokens[at];
    const side = String(token?.attrGet('style') ?? '').match(/text-align:\s*(\w+)/)?.[1];
    if (token && side)
      token.attrs = [...(token.attrs ?? []).filter(([name]) => name !== 'style'), ['data-side', side]];
    return self.renderToken(tokens, at, options);
  };

const time = /\[(?:(\d{1,2}):)?(\d{1,2}):(\d{2})\](?!\()/y;

/** `[12:34]` in what a language model wrote about a recording plays it from there. */
markdown.inline.ruler.before('link', 'time', (state, silent) => {
  time.lastIndex = state.pos;
  const found = state.env.hasTimes ? time.exec(state.src) : null;
  if (!found) return false;
  state.pos += found[0].length;
  if (silent) return true;
  const [whole, hours = 0, minutes, seconds] = found;
  const at = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  const shown = whole.slice(1, -1);
  const button = state.push('html_inline', '', 0);
  button.content = `<button type="button" class="${styles.time}" aria-label="${transcriptStrings.playFrom(shown)}" data-seconds="${at}">${shown}</button>`;
  return true;
});

const highlightName = 'found-words';

interface Props {
  text: string;
  /** Words that match it are marked. */
  query: string;
  /** Called with the line of a task whose box was clicked. Without it, boxes cannot be ticked. */
  onTick?: ((line: number) => void) | undefined;
  /** Called with the second of a time that was clicked. Without it, times are text. */
  onTime?: ((seconds: number) => void) | undefined;
}

/** Renders a note's Markdown. */
export function Markdown({ text, query, onTick, onTime }: Props) {
  const hasTimes = onTime !== undefined;
  const html = useMemo(() => markdown.render(text, { hasTimes }), [text, hasTimes]);
  const ref = useRef<HTMLDivElement>(null);
  const ticked = useRef<string>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new html has new text nodes
  useEffect(() => {
    if (!ref.current || query === '' || !('highlights' in CSS)) return;
    // One for all texts of the page.
    const marked = CSS.highlights.get(highlightName) ?? new Highlight();
    CSS.highlights.set(highlightName, marked);
    const ranges = rangesIn(ref.current, query);
    for (const range of ranges) marked.add(range);
    return () => {
      for (const range of ranges) marked.delete(range);
    };
  }, [html, query]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new html has new boxes, and one of them had the focus
  useEffect(() => {
    for (const box of ref.current?.querySelectorAll<HTMLInputElement>('[data-task]') ?? []) {
      box.disabled = !onTick;
      if (box.dataset.task === ticked.current) box.focus({ preventScroll: true });
    }
    ticked.current = undefined;
  }, [html, !onTick]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the boxes and times in it are what is clicked
    // biome-ignore lint/a11y/useKeyWithClickEvents: a box that is ticked by keyboard is clicked too
    <div
      ref={ref}
      className={styles.markdown}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: made by markdown-it from text, never from HTML; see above
      dangerouslySetInnerHTML={{ __html: html }}
      onClick={({ target }) => {
        if (target instanceof HTMLButtonElement) onTime?.(Number(target.dataset.seconds));
        if (!(target instanceof HTMLInputElement) || target.dataset.task === undefined) return;
        ticked.current = target.dataset.task;
        onTick?.(Number(target.dataset.task));
      }}
    />
  );
}

function rangesIn(element: HTMLElement, query: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    for (const [from, to] of findWords(node.nodeValue ?? '', query)) {
      const range = new Range();
      range.setStart(node, from);
      range.setEnd(node, to);
      ranges.push(range);
    }
  return ranges;
}
