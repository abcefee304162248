import { hopSamples, spectrumSamples } from '../../src/engines/speech/whisper/window.ts';
import type { WhisperFile } from './ggml-file.ts';
import { createLayers, type Layers } from './layers.ts';
import { createGraph, floats, type Graph, integers, onnx, type WeightsSink } from './onnx-writer.ts';

const bins = spectrumSamples / 2 + 1;

/**
 * From samples to what the decoder looks at: for each of its layers the keys `[1, heads, head, positions]` and the
 * values `[1, heads, positions, head]`. The inputs are the parts of a `Window`.
 */
export function encoderGraph(file: WhisperFile, sink: WeightsSink): Uint8Array {
  const { audioState: state, audioHeads: heads, audioLayers, textLayers, textHeads } = file.shape;
  const graph = createGraph('encoder', sink);
  const layers = createLayers(graph, file, state);
  const pcm = graph.input('pcm', onnx.float, [1, 1, 'samples']);
  const rows = graph.input('rows', onnx.int64, ['positions']);
  const places = graph.input('places', onnx.int64, ['positions']);
  const counts = graph.input('counts', onnx.float, ['positions']);
  let x = withPlaces(graph, convolved(graph, melSpectrum(graph, pcm, file), file), { rows, places }, file);
  const size = { heads, head: state / heads };
  const weighted = { ...size, columns: weightColumns(graph, counts, size) };
  for (let i = 0; i < audioLayers; i++) x = block(layers, x, `encoder.blocks.${i}`, weighted);
  const heard = layers.norm(x, 'encoder.ln_post');
  const head = state / textHeads;
  for (let i = 0; i < textLayers; i++) {
    const attention = `decoder.blocks.${i}.cross_attn`;
    const key = layers.splitHeads(layers.linear(heard, `${attention}.key`), textHeads, 'columns');
    const value = layers.splitHeads(layers.linear(heard, `${attention}.value`), textHeads);
    graph.output(key, `cross_key_${i}`, onnx.float, [1, textHeads, head, 'positions']);
    graph.output(value, `cross_value_${i}`, onnx.float, [1, textHeads, 'positions', head]);
  }
  return graph.toBytes();
}

/** Whisper's logarithmic spectrum. The Fourier transform is a convolution with cosines and sines in a Hann window. */
function melSpectrum(graph: Graph, pcm: string, { filters, shape: { mels } }: WhisperFile): string {
  const kernel = graph.constant(floats([2 * bins, 1, spectrumSamples], fourierWaves()));
  const transformed = graph.op('Conv', [pcm, kernel], { attributes: { strides: [hopSamples] } });
  const squared = graph.op('Mul', [transformed, transformed]);
  const sizes = graph.constant(integers([bins, bins]));
  const power = graph.op('Add', graph.ops('Split', [squared, sizes], 2, { attributes: { axis: 1 } }));
  const bands = graph.op('MatMul', [graph.constant(floats([1, mels, bins], filters)), power]);
  const number = (value: number) => graph.constant(floats([], [value]));
  const logarithm = graph.op('Log', [graph.op('Max', [bands, number(1e-10)])]);
  const decades = graph.op('Mul', [logarithm, number(Math.LOG10E)]);
  const loudest = graph.op('ReduceMax', [decades], { attributes: { keepdims: 1 } });
  const kept = graph.op('Max', [decades, graph.op('Sub', [loudest, number(8)])]);
  return graph.op('Mul', [graph.op('Add', [kept, number(4)]), number(0.25)]);
}

function fourierWaves(): Float32Array {
  const waves = new Float32Array(2 * bins * spectrumSamples);
  for (let bin = 0; bin < bins; bin++)
    for (let i = 0; i < spectrumSamples; i++) {
      const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / spectrumSamples);
      const angle = (2 * Math.PI * bin * i) / spectrumSamples;
      waves[bin * spectrumSamples + i] = hann * Math.cos(angle);
      waves[(bins + bin) * spectrumSamples + i] = hann * Math.sin(angle);
    }
  return waves;
}

/** Two convolutions; the second halves the number of positions, to 50 a second. */
function convolved(graph: Graph, spectrum: string, file: WhisperFile): string {
  const { audioState: state, mels } = file.shape;
  const conv = (input: string, name: string, channels: number, stride: number) => {
    const kernel = graph.constant(floats([state, channels, 3], file.tensor(`${name}.weight`)));
    const bias = graph.constant(floats([state], file.tensor(`${name}.bias`)));
    const attributes = { pads: [1, 1], strides: [stride] };
    return graph.op('Gelu', [graph.op('Conv', [input, kernel, bias], { attributes })]);
  };
  const twice = conv(conv(spectrum, 'encoder.conv1', mels, 1), 'encoder.conv2', state, 2);
  return graph.op('Transpose', [twice], { attributes: { perm: [0, 2, 1] } });
}

/** For each position the row that was convolved for it, and the embedding of its place in the window. */
function withPlaces(
  graph: Graph,
  x: string,
  { rows, places }: { rows: string; places: string },
  file: WhisperFile,
): string {
  const { audioContext, audioState: state } = file.shape;
  const all = graph.constant(floats([audioContext, state], file.tensor('encoder.positional_embedding')));
  return graph.op('Add', [
    graph.op('Gather', [x, rows], { attributes: { axis: 1 } }),
    graph.op('Gather', [all, places], { attributes: { axis: 0 } }),
  ]);
}

interface Heads {
  heads: number;
  head: number;
}

interface WeightColumns {
  query: string;
  key: string;
}

interface Weighted extends Heads {
  columns: WeightColumns;
}

/**
 * One more number in each query and key: their product adds the logarithm of a position's count to its score. As
 * `attention_bias` it would keep ONNX Runtime from working in blocks.
 */
function weightColumns(graph: Graph, counts: string, { heads, head }: Heads): WeightColumns {
  const scale = graph.constant(floats([], [Math.sqrt(head)]));
  const column = graph.op('Reshape', [
    graph.op('Mul', [graph.op('Log', [counts]), scale]),
    graph.constant(integers([1, -1, 1, 1])),
  ]);
  const key = graph.op('Expand', [column, graph.constant(integers([1, 1, heads, 1]))]);
  const zeros = graph.op('Mul', [key, graph.constant(floats([], [0]))]);
  return { query: graph.op('Add', [zeros, graph.constant(floats([], [1]))]), key };
}

/** A column beside each head of `[1, positions, state]`. */
function withColumn(graph: Graph, part: string, column: string, { heads, head }: Heads): string {
  const split = graph.op('Reshape', [part, graph.constant(integers([1, -1, heads, head]))]);
  const wider = graph.op('Concat', [split, column], { attributes: { axis: -1 } });
  return graph.op('Reshape', [wider, graph.constant(integers([1, -1, heads * (head + 1)]))]);
}

function block(layers: Layers, x: string, name: string, { columns, ...size }: Weighted): string {
  const { graph, linear, norm, feedForward } = layers;
  const normed = norm(x, `${name}.attn_ln`);
  const part = (which: string) => linear(normed, `${name}.attn.${which}`);
  const query = withColumn(graph, part('query'), columns.query, size);
  const key = withColumn(graph, part('key'), columns.key, size);
  const attended = graph.op('MultiHeadAttention', [query, key, part('value')], {
    domain: 'com.microsoft',
    attributes: { num_heads: size.heads, scale: 1 / Math.sqrt(size.head) },
  });
  const y = graph.op('Add', [x, linear(attended, `${name}.attn.out`)]);
  return graph.op('Add', [y, feedForward(norm(y, `${name}.mlp_ln`), name)]);
}
