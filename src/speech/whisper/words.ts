import type { Piece } from '../recogniser.ts';
import { alignTokens } from './align.ts';
import type { Decoded, DecodedToken } from './decode.ts';
import type { Tokens } from './tokens.ts';
import { leadSeconds, positionSeconds } from './window.ts';

/** The heads look at a word this long before it begins. */
const headStartSeconds = 0.08;

/** The words of a text with their times and scores. The first `seconds` of the window hold sound, the rest silence. */
export function toWords(
  decoded: Decoded,
  tokens: Tokens,
  { heads, seconds }: { heads: number; seconds: number },
): Piece[] {
  const rows = [...decoded.tokens.map(({ attention }) => attention), decoded.endAttention];
  const positions = Math.ceil((leadSeconds + seconds) / positionSeconds);
  const starts = alignTokens(rows, { heads, positions });
  const timeAt = (row: number) => {
    const looked = (starts[row] ?? positions) * positionSeconds + (row === 0 ? 0 : headStartSeconds);
    return Math.max(0, Math.min(seconds, looked - leadSeconds));
  };
  let row = 0;
  return groupTokens(decoded.tokens, tokens).map((group) => {
    const start = timeAt(row);
    row += group.length;
    return {
      text: tokens.decode(group.map(({ id }) => id)),
      start,
      end: timeAt(row),
      isWord: true,
      score: scoreOf(group),
    };
  });
}

/** A word begins where there is a space; where a language writes none, with each whole character. */
export function groupTokens(list: readonly DecodedToken[], tokens: Pick<Tokens, 'decode'>): DecodedToken[][] {
  const groups: DecodedToken[][] = [];
  for (const token of list) {
    const group = groups.at(-1);
    const text = tokens.decode([token.id]);
    const before = group ? tokens.decode(group.map(({ id }) => id)) : '';
    const begins = text.startsWith(' ') || (wordless.test(text) && !before.endsWith('\uFFFD'));
    if (group && !begins) group.push(token);
    else groups.push([token]);
  }
  return groups;
}

/** Han, kana, Thai, Lao, Burmese, Khmer: no spaces between words. Such a letter may be several tokens, the first a stump. */
const wordless =
  /^(\uFFFD|\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Thai}|\p{Script=Lao}|\p{Script=Myanmar}|\p{Script=Khmer})/u;

/** The model's probability for all tokens of the word together. */
const scoreOf = (group: readonly DecodedToken[]) =>
  group.reduce((product, { probability }) => product * probability, 1);
