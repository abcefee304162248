/** Text that both databases can store and every client can read: well-formed Unicode without U+0000. */
export const isStorableText = (text: string) => text.isWellFormed() && !text.includes('\0');

/** Characters as JSON Schema counts them. `length` would count UTF-16 units: two for an emoji. */
export const characterCount = (text: string) => Array.from(text).length;

/**
 * The first string in a parsed JSON value that is not storable; undefined if all are. Does not use recursion, because a
 * megabyte of "[[[[…" is half a million levels deep.
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

// Line and paragraph separators end a line like a newline. Embeddings, overrides and isolates change the direction of the
// text after them. Direction marks (U+200E, U+200F) do neither.
const breaksLine = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u;

/** Text that can be part of a line without breaking it or changing its direction. */
export const isOneLine = (text: string) => !breaksLine.test(text);
