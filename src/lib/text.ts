import { hash } from 'node:crypto';

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

/** Zero-width spaces and joiners, soft hyphens, direction marks, variation selectors: they can be neither seen nor said. */
const invisible = /\p{Default_Ignorable_Code_Point}+/gu;
const allButDotlessI = /[^ı]+/g;
// An index entry of PostgreSQL has at most 2,704 bytes, and NFKC turns one U+FDFA into 33 bytes.
const maxKeyBytes = 1_000;

const visible = (text: string) => text.normalize('NFKC').replace(invisible, '');

/** For a search in names: the folded text contains the folded words. Neither database folds more than ASCII in every locale. */
export const foldText = (text: string) => foldCase(visible(text)).normalize('NFKC');

/**
 * Two names, words or triggers are the same if their keys are. A key is trimmed, in NFKC, without invisible characters and
 * with full case folding: `Straße` and `STRASSE` are the same word, `résumé` and `resume` are not, nor are the Turkish
 * `sık` and `sik`. A text without visible characters has an empty key. See docs/decisions/0020.
 */
export function sameTextKey(text: string): string {
  const key = foldCase(visible(text).trim()).normalize('NFKC');
  return Buffer.byteLength(key) <= maxKeyBytes ? key : `sha256:${hash('sha256', key)}`;
}

/**
 * JavaScript has no case folding, but upper case after lower case gives the same result as Unicode's full folding. Lower case
 * comes first because ẞ has no capital but ß has SS. The dotless ı stays: Unicode folds it only for Turkish.
 */
const foldCase = (text: string) => text.toLowerCase().replace(allButDotlessI, (run) => run.toUpperCase());
