import { leastSureness } from '../unknown-language.ts';
import {
  type Decoded,
  type DecodedToken,
  type DecoderInput,
  likeliest,
  next,
  type Rival,
  release,
} from './decode.ts';
import { type ReadText, readText } from './read-text.ts';

/** Of one chunk. Each takes the decoder as long as two to six words. */
const mostTries = 8;
const mostRivals = 2;
/** A rival that has not come back to the text by then is another story. */
const mostSteps = 5;
/** How many tokens after the place where it comes back are compared too: a wrong word makes the next ones unlikely. */
const comparedAfter = 6;

/**
 * The likeliest token each time is not always the likeliest text. Where the decoder was unsure, its second choice is
 * followed until it comes back to the text, and taken if the whole is likelier then (docs/decisions/0167-second-thoughts.md).
 */
export async function reconsider(decoded: Decoded, input: DecoderInput): Promise<Decoded> {
  const { endAttention: attention, endProbability: probability } = decoded;
  const first: Text = [...decoded.tokens, { id: input.tokens.end, probability, attention }];
  // Noise and foreign speech are unsure throughout, and are not kept.
  if (sum(first.map((token) => token.probability)) / first.length < leastSureness) return decoded;
  let text = first;
  let read: ReadText | undefined;
  let tries = 0;
  for (let at = 0; at < text.length; at++)
    for (const rival of rivalsAt(text[at], input).slice(0, mostTries - tries)) {
      tries += 1;
      read ??= await readText(input, idsOf(text.slice(0, -1)));
      const better = await likelierWith(rival, at, { text, read, input });
      if (!better) continue;
      text = better;
      read.release();
      read = undefined;
      break;
    }
  if (text !== first) read ??= await readText(input, idsOf(text.slice(0, -1)));
  read?.release();
  return text === first ? decoded : { ...decoded, ...lookedAt(text, read?.attention ?? []) };
}

/** With the end of the text as its last token. */
type Text = readonly DecodedToken[];

function lookedAt(text: Text, attention: readonly Float32Array[]) {
  const all = text.map((token, i) => ({ ...token, attention: attention[i] ?? token.attention }));
  const end = all.pop();
  return { tokens: all, ...(end && { endAttention: end.attention, endProbability: end.probability }) };
}

/** Those that are another word: a comma, a capital letter, or "7" for "seven" is not worth the time. */
function rivalsAt(token: DecodedToken | undefined, { tokens }: DecoderInput): Rival[] {
  if (!token?.rivals) return [];
  const lettersOf = (id: number) =>
    tokens
      .decode([id])
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]/gu, '');
  const said = lettersOf(token.id);
  if (said === '') return [];
  const isOther = (word: string) => word !== '' && word !== said && /\d/.test(word) === /\d/.test(said);
  return token.rivals.filter(({ id }) => isOther(lettersOf(id))).slice(0, mostRivals);
}

interface Situation {
  text: Text;
  read: ReadText;
  input: DecoderInput;
}

/** The text with the rival in it, if that is likelier. */
async function likelierWith(rival: Rival, at: number, situation: Situation): Promise<Text | null> {
  const { text, read } = situation;
  const branch = await branchFrom(rival, at, situation);
  if (!branch) return null;
  const { ids, joinsAt } = branch;
  const compared = text.slice(joinsAt, joinsAt + comparedAfter);
  const now = likelihoodOf(text.slice(at, joinsAt + comparedAfter));
  // What follows cannot make it likelier.
  if (branch.likelihood <= now) return null;
  const then = await read.logProbabilities(at, [...ids, ...idsOf(compared)]);
  if (sum(then) <= now) return null;
  const attention = new Float32Array(0);
  const changed = ids.map((id, i) => ({ id, probability: Math.exp(then[i] ?? 0), attention }));
  const after = compared.map((token, i) => ({
    ...token,
    probability: Math.exp(then[ids.length + i] ?? 0),
  }));
  return [...text.slice(0, at), ...changed, ...after, ...text.slice(joinsAt + comparedAfter)];
}

interface Branch {
  ids: number[];
  likelihood: number;
  /** The first token of the text that stays. */
  joinsAt: number;
}

/** The likeliest tokens after the rival, until two of them are those of the text, or the text is over. */
async function branchFrom(
  rival: Rival,
  at: number,
  { text, read, input }: Situation,
): Promise<Branch | null> {
  const { end, unwanted } = input.tokens;
  const near = text.slice(at, at + 2 * mostSteps);
  // It only gets less likely on its way, and this is the least that it is compared with.
  const least = likelihoodOf(text.slice(at, at + 2 * mostSteps + comparedAfter));
  const ids = [rival.id];
  let likelihood = rival.logProbability;
  let past = read.past(at);
  try {
    for (let before = rival.id; ids.length <= mostSteps && likelihood > least; ids.push(before)) {
      const step = await next(input, [before], past);
      release(past);
      past = step.past;
      const id = likeliest(step.logits, end, unwanted);
      const joined = near.findIndex(
        (token, i) => i > 0 && token.id === id && (id === end || near[i - 1]?.id === before),
      );
      if (joined > 0) return { ids, likelihood, joinsAt: at + joined };
      likelihood += step.logits[id] ?? Number.NEGATIVE_INFINITY;
      before = id;
      if (id === end) return null;
    }
  } finally {
    release(past);
  }
  return null;
}

const idsOf = (tokens: Text) => tokens.map(({ id }) => id);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const likelihoodOf = (tokens: Text) => sum(tokens.map(({ probability }) => Math.log(probability)));
