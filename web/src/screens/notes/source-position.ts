/** In rendered Markdown, each block says on which line of the source it begins. */
export const lineAttribute = 'data-line';

/** The element that has the clicked place, and its text before that place. */
function clickedIn(selector: string, x: number, y: number) {
  const point = document.caretPositionFromPoint?.(x, y);
  const node = point?.offsetNode;
  const element = (node instanceof Element ? node : node?.parentElement)?.closest(selector);
  if (!point || !node || !element) return undefined;
  const before = new Range();
  before.setStart(element, 0);
  before.setEnd(node, point.offset);
  return { element, before: before.toString() };
}

/** The position in the source of a click in the rendered text. Undefined if it cannot be found. */
export function sourceAt(source: string, x: number, y: number): number | undefined {
  const clicked = clickedIn(`[${lineAttribute}]`, x, y);
  return clicked && positionAfter(source, startOfLine(source, lineOf(clicked.element)), clicked.before);
}

/** The position of a click in a title, which is no Markdown. */
export const titleAt = (x: number, y: number) => clickedIn('h1', x, y)?.before.length;

/** The source position of the first visible block. */
export function sourceInSight(source: string, pane: HTMLElement): number | undefined {
  const top = pane.getBoundingClientRect().top;
  const blocks = [...pane.querySelectorAll(`[${lineAttribute}]`)];
  const first = blocks.find((block) => block.getBoundingClientRect().top >= top);
  return first && startOfLine(source, lineOf(first));
}

const lineOf = (block: Element) => Number(block.getAttribute(lineAttribute));

export function startOfLine(source: string, line: number): number {
  let at = 0;
  for (let passed = 0; passed < line; passed += 1) {
    const end = source.indexOf('\n', at);
    if (end === -1) return source.length;
    at = end + 1;
  }
  return at;
}

/** The source has marks that the rendered text lacks, so both are read in parallel until all of `shown` was found. */
export function positionAfter(source: string, start: number, shown: string): number {
  let at = start;
  for (const character of shown) {
    if (/\s/.test(character)) continue;
    const found = source.indexOf(character, at);
    // A character that only the rendered text has, such as a curly quote.
    if (found === -1 || found - at > 200) continue;
    at = found + character.length;
  }
  // A space before the clicked position belongs to the text before it.
  return /\s$/.test(shown) && source[at] === ' ' ? at + 1 : at;
}

/** Ticks the box in a line of the source, or clears it. */
export function toggleTask(source: string, line: number): string {
  const start = startOfLine(source, line);
  const box = source.slice(start).match(/^[^\n]*?\[([ xX])\]/);
  if (!box) return source;
  const at = start + box[0].length - 2;
  return `${source.slice(0, at)}${box[1] === ' ' ? 'x' : ' '}${source.slice(at + 1)}`;
}
