/** Text that both databases can store and every client can read: well-formed Unicode without U+0000. */
export const isStorableText = (text: string) => text.isWellFormed() && !text.includes('\0');

/** Characters as JSON Schema counts them. `length` would count UTF-16 units: two for an emoji. */
export const characterCount = (text: string) => Array.from(text).length;

/**
 * Where a parsed JSON value has text that is not storable; of the name of a field, the object that has it. Undefined if all
 * is well. Recursive: refuse deep values before.
 */
export function findUnstorable(value: unknown): PropertyKey[] | undefined {
  if (typeof value === 'string') return isStorableText(value) ? undefined : [];
  if (value === null || typeof value !== 'object') return undefined;
  const members: Iterable<[PropertyKey, unknown]> = Array.isArray(value)
    ? value.entries()
    : Object.entries(value);
  for (const [key, member] of members) {
    if (typeof key === 'string' && !isStorableText(key)) return [];
    const inside = findUnstorable(member);
    if (inside) return [key, ...inside];
  }
  return undefined;
}

// Line and paragraph separators end a line like a newline. Embeddings, overrides and isolates change the direction of the
// text after them. Direction marks (U+200E, U+200F) do neither.
const breaksLine = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]/u;

/** Text that can be part of a line without breaking it or changing its direction. */
export const isOneLine = (text: string) => !breaksLine.test(text);
