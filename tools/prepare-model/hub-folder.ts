import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pcmRate } from '../../src/domain/audio.ts';
import { hubWeights, readHubShape } from '../../src/engines/speech/whisper/shape.ts';
import { spectrumSamples } from '../../src/engines/speech/whisper/window.ts';
import type { WhisperFile } from './ggml-file.ts';
import { type OnnxWeights, readOnnxWeights } from './onnx-weights.ts';

/** A Whisper model as transformers.js publishes it: a folder with graphs of its own, from which we take the weights. */
export function openHubFolder(folder: string): WhisperFile {
  const shape = readHubShape(folder);
  const [encoder, decoder] = hubWeights(folder).map(once) as [() => OnnxWeights, () => OnnxWeights];
  return {
    shape,
    filters: melFilters(shape.mels),
    tokens: readTokens(folder),
    tensor(name) {
      const isEncoder = name.startsWith('encoder.');
      const { weights, prefix } = isEncoder
        ? { weights: encoder(), prefix: '' }
        : { weights: decoder(), prefix: 'model.decoder.' };
      const hubName = prefix + toHubName(name.slice(name.indexOf('.') + 1));
      const isMatrix = /(_proj|fc[12])\.weight$/.test(hubName);
      return isMatrix ? weights.matrix(hubName.replace(/\.weight$/, '')) : weights.tensor(hubName);
    },
    close() {},
  };
}

/** Reading takes a second, and is left out where the graphs are made already. */
function once(path: string): () => OnnxWeights {
  let read: OnnxWeights | undefined;
  return () => {
    read ??= readOnnxWeights(path);
    return read;
  };
}

/** What the hub calls the parts that GGML's files name as OpenAI's code does. */
const hubNames: readonly [RegExp, string][] = [
  [/^positional_embedding/, 'embed_positions.weight'],
  [/^token_embedding/, 'embed_tokens'],
  [/^ln(_post)?\./, 'layer_norm.'],
  [/^blocks\./, 'layers.'],
  [/\.cross_attn_ln\./, '.encoder_attn_layer_norm.'],
  [/\.attn_ln\./, '.self_attn_layer_norm.'],
  [/\.mlp_ln\./, '.final_layer_norm.'],
  [/\.cross_attn\./, '.encoder_attn.'],
  [/\.attn\./, '.self_attn.'],
  [/\.query\./, '.q_proj.'],
  [/\.key\./, '.k_proj.'],
  [/\.value\./, '.v_proj.'],
  [/\.out\./, '.out_proj.'],
  [/\.mlp\.0\./, '.fc1.'],
  [/\.mlp\.2\./, '.fc2.'],
];

const toHubName = (name: string) =>
  hubNames.reduce((text, [pattern, hubName]) => text.replace(pattern, hubName), name);

/** `vocab.json` writes each byte as one character: those that can be seen as they are, the others from 256 on. */
function readTokens(folder: string): string[] {
  const ids: Record<string, number> = JSON.parse(readFileSync(join(folder, 'vocab.json'), 'utf8'));
  const byteOf = new Map<string, string>();
  const isVisible = (byte: number) => (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
  let hidden = 256;
  for (let byte = 0; byte < 256; byte++)
    byteOf.set(String.fromCharCode(isVisible(byte) ? byte : hidden++), String.fromCharCode(byte));
  const list: string[] = [];
  for (const [text, id] of Object.entries(ids)) list[id] = [...text].map((sign) => byteOf.get(sign)).join('');
  return Array.from(list, (token) => token ?? '');
}

/** The bands of Whisper's spectrum, which GGML's files carry: Slaney's, as wide as they are apart, each of the same area. */
function melFilters(mels: number): Float32Array {
  const bins = spectrumSamples / 2 + 1;
  const edges = Array.from({ length: mels + 2 }, (_, i) => toHertz((toMel(pcmRate / 2) * i) / (mels + 1)));
  const filters = new Float32Array(mels * bins);
  for (let mel = 0; mel < mels; mel++) {
    const [from, middle, to] = edges.slice(mel, mel + 3) as [number, number, number];
    for (let bin = 0; bin < bins; bin++) {
      const hertz = (bin * pcmRate) / spectrumSamples;
      const height = Math.min((hertz - from) / (middle - from), (to - hertz) / (to - middle));
      filters[mel * bins + bin] = (Math.max(0, height) * 2) / (to - from);
    }
  }
  return filters;
}

/** Up to 1,000 Hz 15 mels of the same width, above it 27 for each factor of 6.4. */
const [linearHertz, linearMels, melsPerStep, step] = [1_000, 15, 27, Math.log(6.4)];
const toMel = (hertz: number) =>
  hertz < linearHertz
    ? (hertz * linearMels) / linearHertz
    : linearMels + (Math.log(hertz / linearHertz) * melsPerStep) / step;
const toHertz = (mel: number) =>
  mel < linearMels
    ? (mel * linearHertz) / linearMels
    : linearHertz * Math.exp(((mel - linearMels) * step) / melsPerStep);
