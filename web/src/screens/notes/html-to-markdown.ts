/** Markdown of copied HTML: from web pages, Word, Outlook, Google Docs, Apple Notes and Notion. */
export interface Converted {
  markdown: string;
  /** Notes keep no pictures, so they are left out. */
  hasPictures: boolean;
}

export function toMarkdown(html: string): Converted {
  // Our Content-Security-Policy would report parsed styles and handlers. What a style says of a word is read as text.
  const plain = html
    .replace(/<style\b[\s\S]*?<\/style>/gi, '')
    .replace(/<[a-z][^>]*>/gi, (tag) =>
      tag.replace(/\sstyle\s*=/i, ' data-style=').replace(/\son\w+\s*=/gi, ' data-on='),
    );
  const { body } = new DOMParser().parseFromString(plain, 'text/html');
  // Google Docs draws the box of a task as a picture.
  const hasPictures = body.querySelector('img:not([aria-roledescription=checkbox]), picture, svg') !== null;
  return { markdown: join(blocksIn(body)), hasPictures };
}

const blockTags =
  'address, article, aside, blockquote, dd, div, dl, dt, figure, footer, h1, h2, h3, h4, h5, h6, header, hr, li, main, nav, ol, p, pre, section, table, ul';
const unseen = new Set([
  'SCRIPT',
  'STYLE',
  'TITLE',
  'META',
  'LINK',
  'NOSCRIPT',
  'TEMPLATE',
  'SVG',
  'IMG',
  'O:P',
]);
const listLine = /^\s*([-*]|\d+\.) /;

/** One property. Word has others whose names end alike: `mso-bidi-font-weight` speaks of right-to-left scripts. */
function styleOf(element: Element, property: string): string {
  const declarations = (element.getAttribute('data-style') ?? '').split(';').map((one) => one.split(':'));
  return declarations.findLast(([name = '']) => name.trim().toLowerCase() === property)?.[1]?.trim() ?? '';
}
const isBlock = (element: Element) => element.matches(blockTags) || element.querySelector(blockTags) !== null;

/** An empty line between blocks, none between lines of a list. */
const join = (blocks: readonly string[]) =>
  blocks.reduce(
    (all, block, at) =>
      all +
      (at === 0 ? '' : listLine.test(block) && listLine.test(blocks[at - 1] ?? '') ? '\n' : '\n\n') +
      block,
    '',
  );

/** The blocks of an element; text and marks between them are blocks of their own. */
function blocksIn(parent: Element): string[] {
  const blocks: string[] = [];
  let line = '';
  const endLine = () => {
    const text = tidy(line);
    if (text !== '') blocks.push(safeStart(text));
    line = '';
  };
  for (const child of parent.childNodes) {
    if (child instanceof Element && isBlock(child) && !unseen.has(child.tagName.toUpperCase())) {
      endLine();
      blocks.push(...blockOf(child));
    } else line += inlineOf(child);
  }
  endLine();
  return blocks;
}

function blockOf(element: Element): string[] {
  const { tagName } = element;
  const heading = element.matches('.MsoTitle') ? 1 : /^H([1-6])$/.exec(tagName)?.[1];
  if (heading) {
    const text = tidy(inlineIn(element).replace(boldMarks, '').replaceAll('\n', ' '));
    return text === '' ? [] : [`${'#'.repeat(Number(heading))} ${text}`];
  }
  switch (tagName) {
    case 'UL':
    case 'OL':
      return listOf(element);
    case 'BLOCKQUOTE':
      return [join(blocksIn(element)).replace(/^/gm, '> ').replace(/ +$/gm, '')];
    case 'PRE':
      return [fenced(element)];
    case 'TABLE':
      return tableOf(element);
    case 'HR':
      return ['---'];
    case 'P':
      return wordItem(element) ?? blocksIn(element);
    default:
      return blocksIn(element);
  }
}

function listOf(list: Element): string[] {
  const lines: string[] = [];
  let number = Number(list.getAttribute('start') ?? 1);
  for (const child of list.children) {
    // Google Docs puts an inner list beside its item.
    if (child.matches('ul, ol')) lines.push(join(listOf(child)).replace(/^/gm, '  '));
    else {
      const marker = list.tagName === 'OL' ? `${number++}. ` : '- ';
      const [first = '', ...rest] = blocksIn(child);
      const below = rest.length === 0 ? '' : (listLine.test(rest[0] ?? '') ? '\n' : '\n\n') + join(rest);
      const text = `${tickOf(child)}${first}${below}`;
      lines.push(marker + text.replaceAll('\n', `\n${' '.repeat(marker.length)}`).replace(/ +$/gm, ''));
    }
  }
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function tickOf(item: Element): string {
  const box = item.matches('[role=checkbox]')
    ? item
    : item.querySelector(':scope > input[type=checkbox], :scope > :is(p, label) > input[type=checkbox]');
  if (!box) return '';
  return box.matches('[checked], [aria-checked=true]') ? '[x] ' : '[ ] ';
}

/** Word writes lists as paragraphs that only look like one. */
function wordItem(paragraph: Element): string[] | undefined {
  const level = /level(\d)/.exec(styleOf(paragraph, 'mso-list'))?.[1];
  if (level === undefined) return undefined;
  const mark = paragraph.querySelector('[data-style*="mso-list:Ignore"], [data-style*="mso-list: Ignore"]');
  const number = /^\s*([0-9a-z]{1,3})[.)]/i.exec(mark?.textContent ?? '')?.[1];
  const marker = number === undefined ? '-' : `${Number(number) || 1}.`;
  mark?.remove();
  const text = tidy(inlineIn(paragraph));
  return text === '' ? [] : [`${'   '.repeat(Number(level) - 1)}${marker} ${text}`];
}

function fenced(element: Element): string {
  const language = /\blang(?:uage)?-([\w+#-]+)/.exec(element.innerHTML + element.className)?.[1] ?? '';
  const code = (element.textContent ?? '').replace(/\n+$/, '');
  const fence = '`'.repeat(Math.max(3, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return `${fence}${language}\n${code}\n${fence}`;
}

function tableOf(table: Element): string[] {
  const rows = [...table.querySelectorAll('tr')]
    .filter((row) => row.closest('table') === table)
    .map((row) => [...row.children].filter((cell) => cell.matches('td, th')));
  const width = Math.max(0, ...rows.map(({ length }) => length));
  // One cell, or one column, is how pages are laid out.
  if (width < 2) return rows.flat().flatMap(blocksIn);
  const lineOf = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => cells[at] ?? '').join(' | ')} |`;
  const [head = [], ...body] = rows.map((row) =>
    row.map((cell) => blocksIn(cell).join(' ').replace(/\s+/g, ' ').replaceAll('|', '\\|')),
  );
  return [[lineOf(head), lineOf(Array(width).fill('---')), ...body.map(lineOf)].join('\n')];
}

const inlineIn = (parent: Node): string => [...parent.childNodes].map(inlineOf).join('');

function inlineOf(node: Node): string {
  if (node instanceof Text) return safe(node.data.replace(/[\s\u00a0]+/g, ' ').replace(anyMark, ''));
  if (!(node instanceof Element) || unseen.has(node.tagName.toUpperCase())) return '';
  if (styleOf(node, 'display') === 'none' || styleOf(node, 'mso-hide') === 'all') return '';
  switch (node.tagName) {
    case 'BR':
      return '\n';
    case 'CODE':
    case 'KBD':
    case 'SAMP':
    case 'TT':
      return around('`', (node.textContent ?? '').replaceAll('`', "'"), '`');
    case 'A':
      return linkOf(node);
    default:
      return emphasised(node);
  }
}

/** Signs for private use stand for the marks until the line is whole: then it is known what they touch. */
const marks = [
  { open: '\ue000', close: '\ue001', mark: '**' },
  { open: '\ue002', close: '\ue003', mark: '_' },
  { open: '\ue004', close: '\ue005', mark: '~~' },
] as const;
const [bold, italic, struck] = marks;
const anyMark = /[\ue000-\ue005]/g;
const boldMarks = /[\ue000\ue001]/g;
const letter = '[\\p{L}\\p{N}]';
/** Markdown does not end a mark between a sign and a letter. */
const signBeforeEnd = new RegExp(`([.,:;!?]+)([\ue001\ue003\ue005]+)(?=${letter})`, 'gu');
const italicPart = '\ue002[^\ue002\ue003]*\ue003';
const insideWord = new RegExp(`(?<=${letter})${italicPart}|${italicPart}(?=${letter})`, 'gu');

function withMarks(line: string): string {
  let text = line;
  // Words in two pieces with the same mark.
  for (const { open, close } of marks) text = text.replace(new RegExp(`${close}(\\s*)${open}`, 'g'), '$1');
  text = text
    .replace(signBeforeEnd, '$2$1')
    // An underscore between letters is no mark.
    .replace(insideWord, (part) => `*${part.slice(1, -1)}*`);
  for (const { open, close, mark } of marks) text = text.replaceAll(open, mark).replaceAll(close, mark);
  return text;
}

function emphasised(element: Element): string {
  const isTag = (names: string) => element.matches(names);
  const weight = styleOf(element, 'font-weight');
  const style = styleOf(element, 'font-style');
  const lines = ['text-decoration', 'text-decoration-line'].map((name) => styleOf(element, name)).join(' ');
  const isBold = isTag('b, strong') ? !/^(normal|400)/.test(weight) : /^(bold|[6-9]00)/.test(weight);
  const isItalic = isTag('i, em') ? !style.startsWith('normal') : style.startsWith('italic');
  let text = inlineIn(element);
  if (isTag('del, s, strike') || lines.includes('line-through'))
    text = around(struck.open, text, struck.close);
  if (isItalic) text = around(italic.open, text, italic.close);
  return isBold ? around(bold.open, text, bold.close) : text;
}

/** A mark must touch its words. */
function around(open: string, text: string, close: string): string {
  const [, before = '', words = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/.exec(text) ?? [];
  return words === '' ? text : `${before}${open}${words}${close}${after}`;
}

function linkOf(link: Element): string {
  const text = inlineIn(link);
  const address = link.getAttribute('href') ?? '';
  if (!/^(https?:|mailto:)/i.test(address) || text.trim() === '') return text;
  if (link.textContent.trim() === address) return address;
  return `[${text.trim().replaceAll('\n', ' ')}](${address.replaceAll(' ', '%20').replaceAll(')', '%29')})`;
}

/** Signs that Markdown would take for marks. */
const safe = (text: string) => text.replace(/[\\*`]|(?<!\w)_|_(?!\w)|~(?=~)|\](?=\()/g, '\\$&');
const safeStart = (text: string) =>
  text.replace(/^(#{1,6} |>|[-+] |\d+(?=\. ))/gm, (start) => `\\${start}`.replace(/^\\(\d+)$/, '$1\\'));

const tidy = (line: string) =>
  withMarks(
    line
      .replace(/[ \t]*\n[ \t]*/g, '\n')
      .replace(/ {2,}/g, ' ')
      .trim(),
  );
