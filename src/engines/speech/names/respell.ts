import { type Decoded, type DecodedToken, type DecoderInput, readText } from '../whisper/decode.ts';
import { groupTokens } from '../whisper/words.ts';
import { isCommonWord, type Names, namesIn } from './sounds-like.ts';

/** Tokens of a text that may have been meant as a name. */
interface Draft {
  name: string;
  likeness: number;
  /** The tokens from `from` to before `to` are replaced. */
  from: number;
  to: number;
  recognised: string;
  /** The probability of what was recognised. */
  sureness: number;
  tokens: number[];
}

const mostWordsJoined = 4;
/** Each takes the decoder as long as two words. */
const mostDrafts = 16;
const sureOfCommon = 0.6;

/**
 * The text with the names as they are spelt, where they were said. What sounds like a name is read again by the decoder,
 * which was told the names: where it finds the name likelier than what it chose, the name was said.
 */
export async function respell(decoded: Decoded, input: DecoderInput, names: Names): Promise<Decoded> {
  const drafts = draftsFor(decoded.tokens, input, names);
  if (drafts.length === 0) return decoded;
  const told = withNames(input, drafts);
  const accepted = await acceptable(drafts, decoded.tokens, told);
  if (accepted.length === 0) return decoded;
  // A word that was misrecognised twice: the first time makes the second look right.
  const again = drafts.filter(
    (draft) => !accepted.includes(draft) && accepted.some(({ name }) => namesIn(name).includes(draft.name)),
  );
  const changed = replaced(decoded.tokens, accepted);
  const more = await acceptable(
    again.flatMap((draft) => moved(draft, accepted)),
    changed,
    told,
  );
  const tokens = replaced(changed, more);
  const attention = await attentionOf(tokens, input);
  return {
    ...decoded,
    tokens: tokens.map((token, i) => ({ ...token, attention: attention[i] ?? token.attention })),
    endAttention: attention[tokens.length] ?? decoded.endAttention,
  };
}

async function attentionOf(tokens: readonly DecodedToken[], input: DecoderInput): Promise<Float32Array[]> {
  const text = await readText(
    input,
    tokens.map(({ id }) => id),
  );
  text.release();
  return text.attention;
}

/** Those that the decoder finds likely enough, in the order of the text. Of two that overlap, the likelier one. */
async function acceptable(
  drafts: readonly Draft[],
  text: readonly DecodedToken[],
  input: DecoderInput,
): Promise<Draft[]> {
  if (drafts.length === 0) return [];
  const losses = await lossesOf(
    drafts,
    text.map(({ id }) => id),
    input,
  );
  const likely = drafts
    .map((draft, i) => ({ draft, loss: losses[i] ?? Number.POSITIVE_INFINITY }))
    .filter(({ draft, loss }) => loss < allowedLoss(draft))
    .sort((a, b) => a.loss - b.loss);
  const taken: Draft[] = [];
  for (const { draft } of likely)
    if (taken.every(({ from, to }) => draft.to <= from || draft.from >= to)) taken.push(draft);
  return taken.sort((a, b) => a.from - b.from);
}

/** Of 477 proposed names that were not said 4 got past these, of 40 that were said 25 (docs/decisions/0083-names.md). */
function allowedLoss({ recognised, name, likeness, sureness }: Draft): number {
  if (likeness > 0.99 || letters(recognised) === letters(name)) return 3;
  return sureness > 0.5 ? -3 : -1.5;
}

const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** The name gets the score of what was recognised: it is the same sound. */
function replaced(text: readonly DecodedToken[], drafts: readonly Draft[]): DecodedToken[] {
  const tokens: DecodedToken[] = [];
  let at = 0;
  for (const { from, to, tokens: name, sureness } of drafts) {
    const attention = text[from]?.attention ?? new Float32Array(0);
    tokens.push(...text.slice(at, from));
    tokens.push(...name.map((id, i) => ({ id, probability: i === 0 ? sureness : 1, attention })));
    at = to;
  }
  return [...tokens, ...text.slice(at)];
}

/** Where a draft is after the others were put in; nowhere if one of them overlaps it. */
function moved(draft: Draft, others: readonly Draft[]): Draft[] {
  if (others.some(({ from, to }) => from < draft.to && to > draft.from)) return [];
  const before = others.filter(({ to }) => to <= draft.from);
  const shift = before.reduce((sum, { from, to, tokens }) => sum + tokens.length - (to - from), 0);
  return [{ ...draft, from: draft.from + shift, to: draft.to + shift }];
}

/** How much less likely the decoder finds each name than what it chose, as a difference of logarithms. */
async function lossesOf(
  drafts: readonly Draft[],
  chosen: readonly number[],
  input: DecoderInput,
): Promise<number[]> {
  const text = await readText(input, chosen);
  const known = new Map<string, number>();
  const likelihood = async (from: number, to: number, tokens: readonly number[]) => {
    // With the token after it: a name that is only a part of what was said makes that one unlikely.
    const said = [...tokens, chosen[to] ?? input.tokens.end];
    const key = `${from} ${said.join(' ')}`;
    const value = known.get(key) ?? sum(await text.logProbabilities(from, said));
    known.set(key, value);
    return value;
  };
  const losses: number[] = [];
  for (const { from, to, tokens } of drafts)
    losses.push((await likelihood(from, to, chosen.slice(from, to))) - (await likelihood(from, to, tokens)));
  text.release();
  return losses;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** What the decoder is told before the text, with the names in it: it then finds them likelier where they were said. */
function withNames(input: DecoderInput, drafts: readonly Draft[]): DecoderInput {
  const { encode, previous } = input.tokens;
  const names = [...new Set(drafts.map(({ name }) => name))];
  return { ...input, start: [previous, ...encode(` ${names.join(', ')}.`), ...input.start] };
}

/** What was recognised that sounds like a name, the most promising first. */
function draftsFor(chosen: readonly DecodedToken[], { tokens }: DecoderInput, names: Names): Draft[] {
  const words = wordsOf(chosen, (ids) => tokens.decode(ids));
  const found: Draft[] = [];
  for (const span of spansOf(words)) {
    const [from, to] = [span[0]?.from ?? 0, span.at(-1)?.to ?? 0];
    const sureness = chosen.slice(from, to).reduce((product, { probability }) => product * probability, 1);
    // "Note" is rarely a misrecognised "Notte", unless the decoder doubts it.
    if (sureness > sureOfCommon && span.every(({ text }) => isCommonWord(text))) continue;
    const recognised = span.map(({ text }) => text).join(' ');
    for (const { name, likeness } of names.like(recognised))
      found.push({ name, likeness, from, to, recognised, sureness, tokens: tokens.encode(` ${name}`) });
  }
  return found
    .filter((draft) => found.every((other) => !isBetter(other, draft)))
    .sort((a, b) => promise(b) - promise(a))
    .slice(0, mostDrafts);
}

/** Up to four words in a row. Punctuation between them shows that they are separate. */
function spansOf(words: readonly Word[]): Word[][] {
  return words.flatMap((_, first) => {
    const close = words.slice(first, first + mostWordsJoined).findIndex(({ to, end }) => to !== end);
    const most = close < 0 ? mostWordsJoined : close + 1;
    const last = Math.min(words.length, first + most);
    return Array.from({ length: last - first }, (_, more) => words.slice(first, first + more + 1));
  });
}

/** Of two places for one name that overlap, the one that sounds more like it, or has it already. */
const isBetter = (other: Draft, draft: Draft) =>
  other.name === draft.name &&
  other.from < draft.to &&
  other.to > draft.from &&
  (other.likeness > draft.likeness || other.recognised === other.name);

/** A doubtful word is worth a try before one that the decoder is sure of. */
const promise = ({ likeness, sureness }: Draft) => likeness - 0.25 * sureness;

interface Word {
  text: string;
  /** Its tokens, without the tokens of the signs after it, which end at `end`. */
  from: number;
  to: number;
  end: number;
}

function wordsOf(list: readonly DecodedToken[], decode: (ids: number[]) => string): Word[] {
  let at = 0;
  return groupTokens(list, { decode }).map((group) => {
    const from = at;
    at += group.length;
    let core = group.length;
    while (core > 1 && /^(['’]s|[^\p{L}\p{N}])+$/u.test(decode([group[core - 1]?.id ?? 0]))) core -= 1;
    return { from, to: from + core, end: at, text: decode(group.slice(0, core).map(({ id }) => id)).trim() };
  });
}
