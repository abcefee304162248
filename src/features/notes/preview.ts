/** A few lines of a list. */
const previewLetters = 200;
/** Enough for them beside some marks and addresses of Markdown. A list reads no more of each text. */
export const previewSource = 2 * previewLetters;

const rule = /^[ \t]*(?:[-*_][ \t]*){3,}$/gm;
const lineMark = /^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)/gm;
const link = /!?\[([^[\]]*)\]\([^()\s]*\)/g;
const emphasis = /[*_~]{1,3}/g;
/** All but single spaces, which are most of them and stay. */
const gaps = /\p{Cc}[\p{Cc}\s]*|\s[\p{Cc}\s]+/gu;
const isWord = (character = ' ') => /[\p{L}\p{N}]/u.test(character);
const isSpace = (character = ' ') => /\s/.test(character);

/** What does not go into a preview as it is: marks, control characters, halves of emoji; and spaces in a row. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const unusual = /[-*_~`#>[+\x00-\x1f\x7f-\x9f\ud800-\udfff]/;
const spaces = /\s\s/;

/** How a text begins: one line of at most 200 letters, without the marks of Markdown. */
export function previewOf(text: string): string {
  // Most texts begin with plain words, and a list has 50 of them: 0.5 µs each instead of 2.5.
  const head = text.slice(0, previewLetters + 1);
  if (!unusual.test(head) && !spaces.test(head) && !isSpace(head[0]))
    return head.slice(0, previewLetters).trimEnd();
  let plain = text.slice(0, previewSource);
  // A list has 50 of them: without marks it took 2 µs a note on a busy machine, with them 19 µs.
  if (/[-*_~`#>[+]/.test(plain))
    plain = plain
      .replace(rule, '')
      .replace(lineMark, '')
      .replace(link, '$1')
      .replaceAll('`', '')
      .replace(emphasis, withoutEmphasis);
  return firstLetters(plain.replace(gaps, ' ').trim());
}

/** Stars and lines around words go, those between them stay: `snake_case` and `2 * 3`. */
function withoutEmphasis(marks: string, at: number, whole: string): string {
  const [before, after] = [whole[at - 1], whole[at + marks.length]];
  return (!isWord(before) && !isSpace(after)) || (!isSpace(before) && !isWord(after)) ? '' : marks;
}

function firstLetters(plain: string): string {
  const units = plain.slice(0, 2 * previewLetters);
  // An emoji has two units, and may be cut in two already.
  const letters = /[\ud800-\udfff]/.test(units) ? Array.from(units.toWellFormed()) : undefined;
  return (letters?.slice(0, previewLetters).join('') ?? units.slice(0, previewLetters)).trimEnd();
}
