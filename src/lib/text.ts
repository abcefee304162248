/** Text that both databases can keep and every client can read: well-formed Unicode without U+0000. */
export const isStorableText = (text: string) => text.isWellFormed() && !text.includes('\0');

/** Characters as JSON Schema counts them: `length` counts UTF-16 units, two for an emoji. */
export const characterCount = (text: string) => Array.from(text).length;

/**
 * The first string anywhere in a parsed JSON value that is not storable; undefined when all of them are.
 * With a list of its own and not by recursion: a megabyte of "[[[[…" is half a million levels deep.
 */
export function findUnstorableText(value: unknown): string | undefined {
  const pending: unknown[] = [value];
  while (pending.length > 0) {
    const item = pending.pop();
    if (typeof item === 'string') {
      if (!isStorableText(item)) return item;
    } else if (Array.isArray(item)) {
      for (const member of item) pending.push(member);
    } else if (item !== null && typeof item === 'object') {
      for (const [name, member] of Object.entries(item)) pending.push(name, member);
    }
  }
  return undefined;
}

// Line and paragraph separators end a line as a newline does; embeddings, overrides and isolates turn the direction
// of whatever is shown after them. Direction marks (U+200E, U+200F) do neither.
const breaksLine = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u;

/** Text that can stand in a line with others without breaking or turning it. */
export const isOneLine = (text: string) => !breaksLine.test(text);
