import { hash } from 'node:crypto';

/** Zero-width spaces and joiners, soft hyphens, direction marks, variation selectors: nobody can see or say them. */
const invisible = /\p{Default_Ignorable_Code_Point}+/gu;
const allButDotlessI = /[^ı]+/g;
// An index entry of PostgreSQL has at most 2,704 bytes, and NFKC turns one U+FDFA into 33 bytes.
const maxKeyBytes = 1_000;

/**
 * Two names, words or triggers are the same if their keys are. A key is trimmed, in NFKC, without invisible characters and
 * with full case folding: `Straße` and `STRASSE` are the same word, `résumé` and `resume` are not, nor are the Turkish
 * `sık` and `sik`. A text without visible characters has an empty key. See docs/decisions/0020.
 */
export function sameTextKey(text: string): string {
  const plain = text.normalize('NFKC').replace(invisible, '').trim();
  const key = foldCase(plain).normalize('NFKC');
  return Buffer.byteLength(key) <= maxKeyBytes ? key : `sha256:${hash('sha256', key)}`;
}

/**
 * JavaScript has no case folding, but upper case after lower case gives the same result as Unicode's full folding. Lower case
 * comes first because ẞ has no capital but ß has SS. The dotless ı stays: Unicode folds it only for Turkish.
 */
const foldCase = (text: string) => text.toLowerCase().replace(allButDotlessI, (run) => run.toUpperCase());
