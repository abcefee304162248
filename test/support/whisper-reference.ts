import type { WhisperFile } from '../../tools/prepare-model/ggml-file.ts';

/**
 * Whisper's forward pass written down from its paper and OpenAI's model.py, in plain loops and double precision, without
 * anything of Steno's graphs. Slow; for small models only.
 */
type Rows = Float64Array[];

export interface Reference {
  /** Keys and values that layer `i` of the decoder looks at: a row of `state` numbers for each position. */
  cross(i: number): { key: Rows; value: Rows };
  /** For all tokens at once: logits after the last one, as logarithms of probabilities, and how its heads look at the positions, by layer. */
  decode(tokens: readonly number[]): { logits: Float64Array; looks: Rows[] };
}

export function createReference(file: WhisperFile, pcm: Float32Array): Reference {
  const { shape } = file;
  const heard = encode(file, pcm);
  const cross = (i: number) => {
    const name = `decoder.blocks.${i}.cross_attn`;
    return { key: linear(file, heard, `${name}.key`), value: linear(file, heard, `${name}.value`) };
  };

  function decode(tokens: readonly number[]) {
    const embedding = file.tensor('decoder.token_embedding.weight');
    const places = file.tensor('decoder.positional_embedding');
    const state = shape.textState;
    let x: Rows = tokens.map((token, row) =>
      Float64Array.from(
        { length: state },
        (_, i) => (embedding[token * state + i] ?? 0) + (places[row * state + i] ?? 0),
      ),
    );
    const looks: Rows[] = [];
    for (let i = 0; i < shape.textLayers; i++) {
      const name = `decoder.blocks.${i}`;
      const normed = norm(file, x, `${name}.attn_ln`);
      const [query, key, value] = ['query', 'key', 'value'].map((part) =>
        linear(file, normed, `${name}.attn.${part}`),
      ) as [Rows, Rows, Rows];
      const self = attend(query, key, value, shape.textHeads, true);
      x = add(x, linear(file, self.rows, `${name}.attn.out`));
      const asked = linear(file, norm(file, x, `${name}.cross_attn_ln`), `${name}.cross_attn.query`);
      const other = cross(i);
      const looked = attend(asked, other.key, other.value, shape.textHeads, false);
      looks.push(looked.lastLooks);
      x = add(x, linear(file, looked.rows, `${name}.cross_attn.out`));
      x = add(x, feedForward(file, norm(file, x, `${name}.mlp_ln`), name));
    }
    const last = norm(file, x, 'decoder.ln').at(-1) ?? new Float64Array(0);
    const logits = Float64Array.from({ length: shape.vocabulary }, (_, token) => {
      let sum = 0;
      for (let i = 0; i < state; i++) sum += (last[i] ?? 0) * (embedding[token * state + i] ?? 0);
      return sum;
    });
    const highest = Math.max(...logits);
    const sum = logits.reduce((total, logit) => total + Math.exp(logit - highest), 0);
    return { logits: logits.map((logit) => logit - highest - Math.log(sum)), looks };
  }

  return { cross, decode };
}

function encode(file: WhisperFile, pcm: Float32Array): Rows {
  const { audioState, audioLayers, audioHeads, mels } = file.shape;
  const first = convolve(file, melSpectrum(pcm, file), 'encoder.conv1', mels, 1);
  let x = convolve(file, first, 'encoder.conv2', audioState, 2);
  const places = file.tensor('encoder.positional_embedding');
  x = x.map((row, at) => row.map((value, i) => value + (places[at * audioState + i] ?? 0)));
  for (let i = 0; i < audioLayers; i++) {
    const name = `encoder.blocks.${i}`;
    const normed = norm(file, x, `${name}.attn_ln`);
    const [query, key, value] = ['query', 'key', 'value'].map((part) =>
      linear(file, normed, `${name}.attn.${part}`),
    ) as [Rows, Rows, Rows];
    x = add(x, linear(file, attend(query, key, value, audioHeads, false).rows, `${name}.attn.out`));
    x = add(x, feedForward(file, norm(file, x, `${name}.mlp_ln`), name));
  }
  return norm(file, x, 'encoder.ln_post');
}

/** A row of `mels` numbers for every 160 samples. */
function melSpectrum(pcm: Float32Array, { filters, shape: { mels } }: WhisperFile): Rows {
  const [length, bins] = [400, 201];
  const frames = Math.floor((pcm.length - length) / 160) + 1;
  const rows = Array.from({ length: frames }, (_, frame) => {
    const power = Float64Array.from({ length: bins }, (_, bin) => {
      let [real, imaginary] = [0, 0];
      for (let i = 0; i < length; i++) {
        const sample = (pcm[frame * 160 + i] ?? 0) * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / length));
        real += sample * Math.cos((2 * Math.PI * bin * i) / length);
        imaginary -= sample * Math.sin((2 * Math.PI * bin * i) / length);
      }
      return real * real + imaginary * imaginary;
    });
    return Float64Array.from({ length: mels }, (_, mel) => {
      let sum = 0;
      for (let bin = 0; bin < bins; bin++) sum += (filters[mel * bins + bin] ?? 0) * (power[bin] ?? 0);
      return Math.log10(Math.max(sum, 1e-10));
    });
  });
  const loudest = Math.max(...rows.map((row) => Math.max(...row)));
  return rows.map((row) => row.map((value) => (Math.max(value, loudest - 8) + 4) / 4));
}

/** Three rows wide, with zeros beyond both ends, and GELU. */
function convolve(file: WhisperFile, x: Rows, name: string, channels: number, stride: number): Rows {
  const weight = file.tensor(`${name}.weight`);
  const bias = file.tensor(`${name}.bias`);
  return Array.from({ length: Math.ceil(x.length / stride) }, (_, at) =>
    Float64Array.from(bias, (start, out) => {
      let sum = start;
      for (let tap = 0; tap < 3; tap++) {
        const row = x[at * stride + tap - 1];
        if (row)
          for (let i = 0; i < channels; i++)
            sum += (row[i] ?? 0) * (weight[(out * channels + i) * 3 + tap] ?? 0);
      }
      return gelu(sum);
    }),
  );
}

function linear(file: WhisperFile, x: Rows, name: string): Rows {
  const weight = file.tensor(`${name}.weight`);
  const inputs = x[0]?.length ?? 0;
  const bias = name.endsWith('.key') ? null : file.tensor(`${name}.bias`);
  return x.map((row) =>
    Float64Array.from({ length: weight.length / inputs }, (_, out) => {
      let sum = bias?.[out] ?? 0;
      for (let i = 0; i < inputs; i++) sum += (row[i] ?? 0) * (weight[out * inputs + i] ?? 0);
      return sum;
    }),
  );
}

function norm(file: WhisperFile, x: Rows, name: string): Rows {
  const [weight, bias] = [file.tensor(`${name}.weight`), file.tensor(`${name}.bias`)];
  return x.map((row) => {
    const mean = row.reduce((sum, value) => sum + value, 0) / row.length;
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / row.length;
    return row.map(
      (value, i) => ((value - mean) / Math.sqrt(variance + 1e-5)) * (weight[i] ?? 0) + (bias[i] ?? 0),
    );
  });
}

const feedForward = (file: WhisperFile, x: Rows, name: string) =>
  linear(
    file,
    linear(file, x, `${name}.mlp.0`).map((row) => row.map(gelu)),
    `${name}.mlp.2`,
  );

function attend(query: Rows, key: Rows, value: Rows, heads: number, isCausal: boolean) {
  const state = query[0]?.length ?? 0;
  const size = state / heads;
  const rows = query.map(() => new Float64Array(state));
  const lastLooks: Rows = [];
  for (let head = 0; head < heads; head++)
    for (const [at, asked] of query.entries()) {
      const seen = isCausal ? key.slice(0, at + 1) : key;
      const scores = Float64Array.from(seen, (row) => {
        let sum = 0;
        for (let i = head * size; i < (head + 1) * size; i++) sum += (asked[i] ?? 0) * (row[i] ?? 0);
        return sum / Math.sqrt(size);
      });
      const weights = softmax(scores);
      for (const [k, weight] of weights.entries())
        for (let i = head * size; i < (head + 1) * size; i++)
          (rows[at] as Float64Array)[i] = (rows[at]?.[i] ?? 0) + weight * (value[k]?.[i] ?? 0);
      if (at === query.length - 1) lastLooks.push(weights);
    }
  return { rows, lastLooks };
}

function softmax(scores: Float64Array): Float64Array {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

const add = (a: Rows, b: Rows): Rows => a.map((row, at) => row.map((value, i) => value + (b[at]?.[i] ?? 0)));

const gelu = (x: number) => 0.5 * x * (1 + erf(x / Math.SQRT2));

/** Abramowitz and Stegun 7.1.26: wrong by 1.5e-7 at most. */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const series =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - series * Math.exp(-x * x));
}
