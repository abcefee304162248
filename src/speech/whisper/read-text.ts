import { Tensor } from '../onnx-runtime.ts';
import { cacheNames, type DecoderInput, emptyPast, release } from './decode.ts';

/** A text that the decoder has read once, to ask about changes of it. */
export interface ReadText {
  /** For each token where the alignment heads looked before it was said, and at last where they look at the end. */
  attention: Float32Array[];
  /** The natural logarithm of the probability of each token, said after the first `kept` tokens of the text. */
  logProbabilities(kept: number, tokens: readonly number[]): Promise<number[]>;
  /** Keys and values of what it was told and of the first `kept` tokens. */
  past(kept: number): Past;
  release(): void;
}

type Past = Record<string, Tensor>;

/** Gives the decoder a whole text in one call, instead of letting it choose each token. */
export async function readText(input: DecoderInput, text: readonly number[]): Promise<ReadText> {
  const { start, shape, tokens } = input;
  const all = [...start, ...text];
  const { past, attention } = await run(input, all, emptyPast(shape), []);

  return {
    attention: attention.slice(start.length - 1),
    async logProbabilities(kept, added) {
      // What comes after a token is told when that token is given, so the last one kept is given again.
      const given = start.length + kept - 1;
      const ids = [all[given] ?? tokens.start, ...added.slice(0, -1)];
      const short = firstOf(past, given);
      const told = await run(
        input,
        ids,
        short,
        ids.map((_, i) => i),
      );
      release(short);
      release(told.past);
      return added.map((id, i) => told.logits[i]?.[id] ?? Number.NEGATIVE_INFINITY);
    },
    past: (kept) => firstOf(past, start.length + kept),
    release: () => release(past),
  };
}

async function run(
  { decoder, heard, shape }: DecoderInput,
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
    ...heard,
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
