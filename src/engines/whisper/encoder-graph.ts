import type { WhisperFile } from './ggml-file.ts';
import { createLayers, type Layers } from './layers.ts';
import { createGraph, floats, type Graph, integers, onnx, type WeightsSink } from './onnx-writer.ts';
import { hopSamples, spectrumSamples } from './window.ts';

const bins = spectrumSamples / 2 + 1;

/**
 * From samples to what the decoder looks at: for each of its layers the keys `[1, heads, head, positions]` and the
 * values `[1, heads, positions, head]`. Any window will do whose samples are a multiple of 320, up to 30 s.
 */
export function encoderGraph(file: WhisperFile, sink: WeightsSink): Uint8Array {
  const { audioState: state, audioHeads: heads, audioLayers, textLayers, textHeads } = file.shape;
  const graph = createGraph('encoder', sink);
  const layers = createLayers(graph, file, state);
  const pcm = graph.input('pcm', onnx.float, [1, 1, 'samples']);
  let x = withPositions(graph, convolved(graph, melSpectrum(graph, pcm, file), file), file);
  for (let i = 0; i < audioLayers; i++) x = block(layers, x, `encoder.blocks.${i}`, heads);
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

function withPositions(graph: Graph, x: string, file: WhisperFile): string {
  const { audioContext, audioState: state } = file.shape;
  const all = graph.constant(floats([audioContext, state], file.tensor('encoder.positional_embedding')));
  const length = graph.op('Shape', [x], { attributes: { start: 1, end: 2 } });
  const first = graph.constant(integers([0]));
  return graph.op('Add', [x, graph.op('Slice', [all, first, length, first])]);
}

function block(layers: Layers, x: string, name: string, heads: number): string {
  const { graph, linear, norm, feedForward } = layers;
  const normed = norm(x, `${name}.attn_ln`);
  const parts = ['query', 'key', 'value'].map((part) => linear(normed, `${name}.attn.${part}`));
  const attended = graph.op('MultiHeadAttention', parts, {
    domain: 'com.microsoft',
    attributes: { num_heads: heads },
  });
  const y = graph.op('Add', [x, linear(attended, `${name}.attn.out`)]);
  return graph.op('Add', [y, feedForward(norm(y, `${name}.mlp_ln`), name)]);
}
