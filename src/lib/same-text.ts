import { hash } from 'node:crypto';

/** Zero-width spaces and joiners, soft hyphens, direction marks, variation selectors: nobody can see or say them. */
const invisible = /\p{Default_Ignorable_Code_Point}+/gu;
const allButDotlessI = /[^ı]+/g;
// A B-tree page of PostgreSQL takes keys up to 2,704 bytes, and NFKC turns one U+FDFA into 33.
const maxKeyBytes = 1_000;

/**
 * Two names, words or triggers are the same when their keys are: trimmed, compatibility forms made equal (NFKC),
 * invisible characters left out, case folded in full. `Straße`, `STRASSE` and `straße` are one word; `résumé` and
 * `resume`, and Turkish `sık` and `sik`, are two. Empty when there is nothing to see. See docs/decisions/0020.
 */
export function sameTextKey(text: string): string {
  const plain = text.normalize('NFKC').replace(invisible, '').trim();
  const key = foldCase(plain).normalize('NFKC');
  return Buffer.byteLength(key) <= maxKeyBytes ? key : `sha256:${hash('sha256', key)}`;
}

/**
 * Unicode's full case folding by way of capitals, which is the same relation: JavaScript has no folding of its own.
 * Lower case first, because ẞ has no capital but ß has SS. Dotless ı stays: Unicode folds it only for Turkish.
 */
const foldCase = (text: string) => text.toLowerCase().replace(allButDotlessI, (run) => run.toUpperCase());
