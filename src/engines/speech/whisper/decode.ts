import { type InferenceSession, Tensor } from '../onnx-runtime.ts';
import type { WhisperShape } from './shape.ts';
import type { Tokens } from './tokens.ts';

export interface DecodedToken {
  id: number;
  /** The model's own, 0–1. */
  probability: number;
  /** Where the alignment heads looked when it was chosen: heads × positions. */
  attention: Float32Array;
}

export interface Decoded {
  tokens: DecodedToken[];
  /** Where they looked when the text was over: the last word ends there. */
  endAttention: Float32Array;
  /** False when the decoder went in circles or found no end. */
  isComplete: boolean;
  /** What the window begins with, as the model would describe it. After a sound there may still be speech. */
  opening: 'speech' | 'sound' | 'foreign speech';
}

export interface DecoderInput {
  decoder: InferenceSession;
  shape: WhisperShape;
  tokens: Tokens;
  /** Keys and values of the encoder, by name, and for how many positions each of them counts. */
  encoded: Record<string, Tensor>;
  /** What the decoder is told before the text. */
  start: readonly number[];
}

/** The likeliest token each time. Nothing is left to chance: the same samples give the same text. */
export async function decode(input: DecoderInput): Promise<Decoded> {
  const { tokens, start, shape } = input;
  const chosen: DecodedToken[] = [];
  const room = Math.min(shape.textContext - start.length, shape.textContext / 2);
  let step = await next(input, start, emptyPast(shape));
  const first = likeliest(step.logits, tokens.end);
  const opening = !tokens.sounds.has(first)
    ? 'speech'
    : foreignSpeech.test(await soundName(input, step))
      ? 'foreign speech'
      : 'sound';
  while (first !== tokens.end && opening !== 'foreign speech') {
    const unwanted = chosen.length === 0 ? tokens.unwantedFirst : tokens.unwanted;
    const id = likeliest(step.logits, tokens.end, unwanted);
    if (id === tokens.end) break;
    const probability = probabilityOf(step.logits, id);
    chosen.push({ id, probability, attention: step.attention });
    const repeated = loopLength(chosen);
    if (repeated > 0 || chosen.length >= room)
      return {
        tokens: chosen.slice(0, chosen.length - repeated),
        endAttention: step.attention,
        isComplete: false,
        opening,
      };
    const { past } = step;
    step = await next(input, [id], past);
    release(past);
  }
  return { tokens: chosen, endAttention: step.attention, isComplete: true, opening };
}

/** "(speaking in foreign language)", "[Speaking Spanish]". */
const foreignSpeech = /foreign|speak/i;
const mostSoundTokens = 8;

/** What the model writes for what is no speech of its language: "[Music]", "(beeping)". */
async function soundName(input: DecoderInput, first: Step): Promise<string> {
  const { tokens } = input;
  const ids: number[] = [];
  for (let step = first; ids.length < mostSoundTokens; ) {
    const id = likeliest(step.logits, tokens.end);
    if (id === tokens.end) break;
    ids.push(id);
    step = await next(input, [id], step.past);
  }
  return tokens.decode(ids);
}

/** The language that a multilingual model detects. */
export async function detectLanguage(input: DecoderInput): Promise<string> {
  const { tokens, shape } = input;
  const { logits } = await next(input, [tokens.start], emptyPast(shape));
  const likelihood = (code: string) => logits[tokens.languageMark(code)] ?? Number.NEGATIVE_INFINITY;
  return tokens.languages.reduce((best, code) => (likelihood(code) > likelihood(best) ? code : best));
}

interface Step {
  /** The natural logarithm of the probability of each token to be the next one. */
  logits: Float32Array;
  attention: Float32Array;
  past: Record<string, Tensor>;
}

async function next(
  { decoder, encoded, shape }: DecoderInput,
  ids: readonly number[],
  past: Record<string, Tensor>,
): Promise<Step> {
  const tokens = new Tensor('int64', BigInt64Array.from(ids, BigInt), [1, ids.length]);
  const wanted = new Tensor('int64', BigInt64Array.of(BigInt(ids.length - 1)), [1]);
  // The graph declares these outputs, all of them as floats.
  const out = (await decoder.run({ tokens, wanted, ...past, ...encoded })) as Record<string, Tensor>;
  const { logits, attention } = out as { logits: Tensor; attention: Tensor };
  return {
    logits: logits.data as Float32Array,
    attention: lastRows(attention),
    past: Object.fromEntries(
      cacheNames(shape).map((name) => [`past_${name}`, out[`present_${name}`] as Tensor]),
    ),
  };
}

/** Of `[heads, tokens, positions]` what belongs to the last token. */
function lastRows({ data, dims }: Tensor): Float32Array {
  const [heads, rows, positions] = dims as [number, number, number];
  const all = data as Float32Array;
  if (rows === 1) return all;
  const last = new Float32Array(heads * positions);
  for (let head = 0; head < heads; head++) {
    const from = (head * rows + rows - 1) * positions;
    last.set(all.subarray(from, from + positions), head * positions);
  }
  return last;
}

/** At once: the garbage collector would let some hundred megabytes come together first. */
export function release(tensors: Record<string, Tensor>): void {
  for (const { data } of Object.values(tensors)) {
    // Tensors of floats all, and their memory is never shared.
    const { buffer } = data as Float32Array<ArrayBuffer>;
    buffer.transfer(0);
  }
}

const cacheNames = ({ textLayers }: WhisperShape) =>
  Array.from({ length: textLayers }, (_, i) => [`key_${i}`, `value_${i}`]).flat();

function emptyPast(shape: WhisperShape): Record<string, Tensor> {
  const dims = [1, shape.textHeads, 0, shape.textState / shape.textHeads];
  return Object.fromEntries(
    cacheNames(shape).map((name) => [`past_${name}`, new Tensor('float32', new Float32Array(0), dims)]),
  );
}

/** Among text and the end of it. */
function likeliest(logits: Float32Array, end: number, unwanted?: ReadonlySet<number>): number {
  let best = end;
  let highest = logits[end] as number;
  for (let id = 0; id < end; id++)
    if ((logits[id] as number) > highest && !unwanted?.has(id)) {
      best = id;
      highest = logits[id] as number;
    }
  return best;
}

const probabilityOf = (logits: Float32Array, id: number) => Math.exp(logits[id] as number);

const loopTurns = 4;
const leastLoopTokens = 12;

/** How many tokens at the end only repeat what stands before them: four turns of the same, twelve tokens at least. */
function loopLength(chosen: readonly DecodedToken[]): number {
  for (let period = 1; period * loopTurns <= chosen.length; period++) {
    const length = Math.max(period * loopTurns, leastLoopTokens);
    const tail = chosen.slice(-length);
    const repeats =
      tail.length === length && tail.every(({ id }, i) => i < period || id === tail[i - period]?.id);
    if (repeats) return length - period;
  }
  return 0;
}

/** A text that the decoder has read once, to ask about changes of it. */
export interface ReadText {
  /** For each token where the alignment heads looked before it was said, and at last where they look at the end. */
  attention: Float32Array[];
  /** The natural logarithm of the probability of each token, said after the first `kept` tokens of the text. */
  logProbabilities(kept: number, tokens: readonly number[]): Promise<number[]>;
  release(): void;
}

type Past = Record<string, Tensor>;

/** Gives the decoder a whole text in one call, instead of letting it choose each token. */
export async function readText(input: DecoderInput, text: readonly number[]): Promise<ReadText> {
  const { start, shape, tokens } = input;
  const all = [...start, ...text];
  const { past, attention } = await readTokens(input, all, emptyPast(shape), []);

  return {
    attention: attention.slice(start.length - 1),
    async logProbabilities(kept, added) {
      // What comes after a token is told when that token is given, so the last one kept is given again.
      const given = start.length + kept - 1;
      const ids = [all[given] ?? tokens.start, ...added.slice(0, -1)];
      const short = firstOf(past, given);
      const told = await readTokens(
        input,
        ids,
        short,
        ids.map((_, i) => i),
      );
      release(short);
      release(told.past);
      return added.map((id, i) => told.logits[i]?.[id] ?? Number.NEGATIVE_INFINITY);
    },
    release: () => release(past),
  };
}

async function readTokens(
  { decoder, encoded, shape }: DecoderInput,
  ids: readonly number[],
  past: Past,
  places: readonly number[],
) {
  const whole = (list: readonly number[]) => BigInt64Array.from(list, BigInt);
  // The graph declares these outputs, all of them as floats.
  const out = (await decoder.run({
    tokens: new Tensor('int64', whole(ids), [1, ids.length]),
    wanted: new Tensor('int64', whole(places), [places.length]),
    ...past,
    ...encoded,
  })) as Record<string, Tensor>;
  const { logits, attention } = out as { logits: Tensor; attention: Tensor };
  return {
    logits: rowsOf(logits.data as Float32Array, places.length),
    attention: byToken(attention),
    past: Object.fromEntries(
      cacheNames(shape).map((name) => [`past_${name}`, out[`present_${name}`] as Tensor]),
    ),
  };
}

const rowsOf = (values: Float32Array, count: number) =>
  Array.from({ length: count }, (_, i) =>
    values.subarray((i * values.length) / count, ((i + 1) * values.length) / count),
  );

/** Of `[heads, tokens, positions]`, for each token heads × positions. */
function byToken({ data, dims }: Tensor): Float32Array[] {
  const [heads, count, positions] = dims as [number, number, number];
  return Array.from({ length: count }, (_, token) => {
    const rows = new Float32Array(heads * positions);
    for (let head = 0; head < heads; head++) {
      const from = (head * count + token) * positions;
      rows.set((data as Float32Array).subarray(from, from + positions), head * positions);
    }
    return rows;
  });
}

/** Keys and values of the first tokens: of `[1, heads, tokens, size]` some of the tokens of each head. */
function firstOf(past: Past, count: number): Past {
  const cut = ({ data, dims }: Tensor) => {
    const [, heads, tokens, size] = dims as [number, number, number, number];
    const kept = new Float32Array(heads * count * size);
    for (let head = 0; head < heads; head++) {
      const from = head * tokens * size;
      kept.set((data as Float32Array).subarray(from, from + count * size), head * count * size);
    }
    return new Tensor('float32', kept, [1, heads, count, size]);
  };
  return Object.fromEntries(Object.entries(past).map(([name, tensor]) => [name, cut(tensor)]));
}
