import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sameTextKey } from '../../src/lib/text.ts';

describe('the same word', () => {
  test.each([
    ['case', 'Steno', 'sTENO'],
    ['a sharp s and its capitals', 'Straße', 'STRASSE'],
    ['a capital sharp s', 'STRAẞE', 'strasse'],
    ['a final sigma', 'ΣΊΣΥΦΟΣ', 'σίσυφος'],
    ['one character or letter and accent', 'caf\u00E9', 'cafe\u0301'],
    ['accents in another order', 'a\u0323\u0302', 'a\u0302\u0323'],
    ['full-width letters', 'ＡＰＩ', 'api'],
    ['ligatures', 'ﬁnal ﬄ', 'FINAL ffl'],
    ['a long s', 'Waſſer', 'wasser'],
    ['the sign and the letter', 'K\u212Ang', 'Kkng'],
    ['half-width katakana', 'ｶﾞ', 'ガ'],
    ['spaces around', '  word\u3000', 'word'],
    ['spaces behind an invisible character', '\u200B word', 'word'],
    ['a zero-width space, joiners, a soft hyphen', 'wo\u200Br\u200D\u200Cd\u00AD', 'word'],
    ['direction marks around Hebrew', '\u200Fשלום\u200E', 'שלום'],
    ['Arabic presentation forms', 'ﻼ', 'لا'],
    ['an emoji with and without its selector', '❤\uFE0F', '❤'],
    ['Turkish capital i with a dot, composed or not', 'İ', 'i\u0307'],
    ['Cherokee, whose small letters came later', 'Ꭰ', 'ꭰ'],
    ['Greek with a subscript', 'ᾳ', 'ΑΙ'],
  ])('does not depend on %s', (_, one, other) => {
    expect(sameTextKey(one)).toBe(sameTextKey(other));
  });

  test.each([
    ['an accent', 'resume', 'résumé'],
    ['a dotless i', 'sık', 'sik'],
    ['a dot above', 'İ', 'i'],
    ['a space between', 'note book', 'notebook'],
    ['a look-alike of another script', 'paypal', 'pаypal'],
    ['what comes after 1,000 bytes', `${'ﷺ'.repeat(99)}a`, `${'ﷺ'.repeat(99)}b`],
  ])('is another with %s', (_, one, other) => {
    expect(sameTextKey(one)).not.toBe(sameTextKey(other));
  });

  test.each([[' \t\n'], ['\u200B'], ['\u00AD\u2060\uFEFF'], ['\u3164\u115F'], ['\uFE0F']])(
    'is nothing when nothing can be seen: %j',
    (text) => {
      expect(sameTextKey(text)).toBe('');
    },
  );

  test('a key fits an index entry of PostgreSQL', () => {
    expect(Buffer.byteLength(sameTextKey('ﷺ'.repeat(100)))).toBeLessThanOrEqual(1_000);
  });

  test('the key of a key is the key itself, and case never matters', () => {
    const words = fc.string({ unit: 'binary', maxLength: 20 });
    fc.assert(
      fc.property(words, (word) => {
        const key = sameTextKey(word);
        expect(sameTextKey(key)).toBe(key);
        // Upper case merges ı with i, which folding does not.
        if (!/ı/.test(word.normalize('NFKC'))) expect(sameTextKey(word.toUpperCase())).toBe(key);
      }),
      { numRuns: 2_000 },
    );
  });

  test('single letters are the same exactly when a case-insensitive pattern says so', () => {
    const letters = Array.from({ length: 0x1_e9_44 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => String.fromCodePoint(code))
      .filter((letter) => /\p{L}/u.test(letter) && letter.normalize('NFKC') === letter);
    const cased = letters.filter(
      (letter) => letter.toLowerCase() !== letter || letter.toUpperCase() !== letter,
    );
    expect(cased.length).toBeGreaterThan(2_000);
    for (const letter of cased) {
      const lower = letter.toLowerCase();
      if (Array.from(lower).length > 1) continue;
      const folds = new RegExp(`^${letter}$`, 'iu').test(lower);
      expect(sameTextKey(letter) === sameTextKey(lower), letter).toBe(folds);
    }
  });
});
