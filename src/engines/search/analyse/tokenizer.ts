import { lazily } from '../../../lib/lazily.ts';

const maxTokenCodePoints = 64;
// A request is a megabyte at most, but U+FDFA becomes eighteen letters: 349,000 of them took 1.3 s, with this cut 0.3 s.
const maxFoldedLength = 1_200_000;

// English as phones type it is ASCII and U+2013 to U+2027 (dashes, curly quotes, bullets, ellipsis), none of which
// folds to a letter. Such text needs no normalising.
const beyondEnglish = /[\u0080-\u2012\u2028-\uFFFF]/;
const asciiApostrophe = /(?<=[a-z0-9])['’‘](?=[a-z0-9])/g;
const asciiWord = /[a-z0-9]+/g;
// U+02BC and U+02BB are letters to Unicode; keyboards for Ukrainian and Hawaiian write them as apostrophes.
const apostrophe = /[ʼʻ]|(?<=[\p{L}\p{N}\p{M}])['’‘](?=[\p{L}\p{N}])/gu;
// Soft hyphens, joiners, emoji variation selectors; but U+200B separates words in Thai and Khmer.
const invisible = /[\p{Default_Ignorable_Code_Point}--\u200B]+/gv;
// The look ahead comes first because marks are rarer than letters: three times as fast. Russian endings need й.
const accent = /(?=\p{M})(?!(?<=и)\u0306)(?<=[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}0-9])\p{M}+/gu;
// Arabic vowel signs, hamza and the stretching tatweel; Hebrew points.
const semiticMark = /[\u0591-\u05BD\u05BF\u05C1-\u05C7\u0640\u064B-\u065F\u0670]+/g;
// French and Italian: l'école, qu'il, dell'arte.
const elision =
  /(?<![\p{L}\p{N}])(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|un|gl|all|dall|dell|nell|sull|coll|quest|quell|dov|com|anch)['’‘](?=[aeiouyh])/gu;
const anyApostrophe = /['’‘]/;
const anyDigit = /[0-9]/;
const thousands = /(?<![\d.,])(\d{1,3})([.,])(\d{3})(?:\2(\d{3}))?(?![\d]|[.,]\d{3}(?!\d))/g;
const thousandsBySpace = /(?<=\d)[\u00A0\u2009\u202F](?=\d{3}(?!\d))/g;
// Letters that Unicode does not decompose, each followed by what people type instead.
const replacements = 'ßss æae œoe øo đd ðd łl þth ħh ŧt ŋn ıi ɓb ɗd ƙk ςσ'.split(' ');
const plainLetters = new Map(replacements.map((pair) => [pair.slice(0, 1), pair.slice(1)]));
const letterWithoutDecomposition = new RegExp(`[${[...plainLetters.keys()].join('')}]`, 'g');
// Scripts without spaces between words need a dictionary. They are split from their neighbours first: iPhoneを.
const unspacedLetter =
  /[[\p{L}\p{N}]&&[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]]/v;
const unspaced = unspacedLetter.source;
const wordRun = new RegExp(
  `[[\\p{L}\\p{N}]--${unspaced}][[\\p{L}\\p{N}\\p{M}]--${unspaced}]*|${unspaced}[${unspaced}\\p{M}]*`,
  'gv',
);
const segmenter = lazily(() => new Intl.Segmenter('und', { granularity: 'word' }));

/** Removes what readers ignore: case, width, accents and apostrophes. */
export function fold(text: string): string {
  if (!beyondEnglish.test(text)) return plainWords(text.toLowerCase()).replace(asciiApostrophe, '');
  return (
    plainWords(
      text
        .replace(thousandsBySpace, '')
        .normalize('NFKC')
        .slice(0, maxFoldedLength)
        .replace(invisible, '')
        .toLowerCase()
        .normalize('NFD')
        .replace(accent, '')
        .replace(semiticMark, '')
        .normalize('NFC'),
    )
      // NFKC decomposes Thai and Lao "am", but the segmenter's dictionary has them whole.
      .replace(/\u0E4D([\u0E48-\u0E4B]?)\u0E32/g, '$1\u0E33')
      .replace(/\u0ECD([\u0EC8-\u0ECB]?)\u0EB2/g, '$1\u0EB3')
      .replace(letterWithoutDecomposition, (letter) => plainLetters.get(letter) ?? letter)
      .replace(apostrophe, '')
  );
}

const plainWords = (text: string) => {
  const whole = anyApostrophe.test(text) ? text.replace(elision, '') : text;
  return anyDigit.test(whole) ? whole.replace(thousands, '$1$3$4') : whole;
};

export function tokenize(folded: string): string[] {
  if (!beyondEnglish.test(folded)) return (folded.match(asciiWord) ?? []).map(cut);
  // Thai is the first of the scripts without spaces in Unicode's order.
  const isUnspaced = (run: string) => run >= '\u0E00' && unspacedLetter.test(run);
  return (folded.match(wordRun) ?? []).flatMap((run) => (isUnspaced(run) ? segmentsOf(run) : cut(run)));
}

function segmentsOf(run: string): string[] {
  const parts = Array.from(segmenter().segment(run));
  return parts.filter((part) => part.isWordLike).map((part) => cut(part.segment));
}

function cut(word: string): string {
  if (word.length <= maxTokenCodePoints) return word;
  // A code point takes at most two UTF-16 units, so only the start of a very long word is split.
  const codePoints = Array.from(word.slice(0, 2 * maxTokenCodePoints));
  return codePoints.slice(0, maxTokenCodePoints).join('');
}

// A word with its apostrophes, or a number with its separators.
const written = /\p{N}{1,3}(?:[.,]\p{N}{3})+|[\p{L}\p{N}][\p{L}\p{N}\p{M}\p{Cf}'’‘]*/gu;

/** The words of a text as they are written, each with its position and its tokens. */
export function* writtenWords(text: string): Generator<{ start: number; end: number; words: string[] }> {
  for (const { 0: run, index } of text.matchAll(written)) {
    if (!unspacedLetter.test(run)) {
      yield { start: index, end: index + run.length, words: tokenize(fold(run)) };
      continue;
    }
    for (const { segment, index: at, isWordLike } of segmenter().segment(run))
      if (isWordLike)
        yield { start: index + at, end: index + at + segment.length, words: tokenize(fold(segment)) };
  }
}
