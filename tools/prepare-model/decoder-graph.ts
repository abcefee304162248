import { alignmentHeads } from '../../src/engines/speech/whisper/alignment-heads.ts';
import type { WhisperFile } from './ggml-file.ts';
import { createLayers, type Layers } from './layers.ts';
import { createGraph, floats, type Graph, integers, onnx, type WeightsSink } from './onnx-writer.ts';

/** The names of keys and of values, one after the other. */
type Pair = [key: string, value: string];

/**
 * From the tokens so far to the next one. Keys and values of earlier tokens come in and go out, so each call takes
 * only new tokens. Logits come only for the places that are `wanted`, as natural logarithms of probabilities. `attention` tells where the alignment heads looked: `[heads, tokens, positions]`.
 */
export function decoderGraph(file: WhisperFile, sink: WeightsSink): Uint8Array {
  const { textState: state, textHeads: heads, textLayers, vocabulary } = file.shape;
  const head = state / heads;
  const graph = createGraph('decoder', sink);
  const layers = createLayers(graph, file, state);
  const embedding = file.tensor('decoder.token_embedding.weight');
  const tokens = graph.input('tokens', onnx.int64, [1, 'tokens']);
  const pasts = Array.from({ length: textLayers }, (_, i): Pair => {
    const input = (name: string) => graph.input(`${name}_${i}`, onnx.float, [1, heads, 'past', head]);
    return [input('past_key'), input('past_value')];
  });
  const looked: string[] = [];
  const counts = graph.input('counts', onnx.float, ['positions']);
  const bias = graph.op('Log', [counts]);
  let x = embedded({ graph, tokens, past: pasts[0]?.[0] ?? '', embedding, file });
  for (const [i, past] of pasts.entries()) {
    const name = `decoder.blocks.${i}`;
    const self = selfAttention(layers, layers.norm(x, `${name}.attn_ln`), `${name}.attn`, past, heads);
    x = graph.op('Add', [x, self.output]);
    graph.output(self.key, `present_key_${i}`, onnx.float, [1, heads, 'all', head]);
    graph.output(self.value, `present_value_${i}`, onnx.float, [1, heads, 'all', head]);
    const cross: Pair = [
      graph.input(`cross_key_${i}`, onnx.float, [1, heads, head, 'positions']),
      graph.input(`cross_value_${i}`, onnx.float, [1, heads, 'positions', head]),
    ];
    const normed = layers.norm(x, `${name}.cross_attn_ln`);
    const { weights, output } = crossAttention(layers, normed, `${name}.cross_attn`, cross, {
      heads,
      head,
      bias,
    });
    x = graph.op('Add', [x, output]);
    const chosen = alignmentHeads(file.shape).filter(([layer]) => layer === i);
    if (chosen.length > 0)
      looked.push(
        pick(
          graph,
          weights,
          chosen.map(([, at]) => at),
        ),
      );
    x = graph.op('Add', [x, layers.feedForward(layers.norm(x, `${name}.mlp_ln`), name)]);
  }
  const wanted = graph.input('wanted', onnx.int64, ['wanted']);
  const asked = graph.op('Gather', [layers.norm(x, 'decoder.ln'), wanted], { attributes: { axis: 1 } });
  // In the graph this is a hundredth of the decoder's time. In JavaScript it was most of the work of choosing a token.
  const logits = graph.op('LogSoftmax', [layers.multiply(asked, embedding, vocabulary, null)], {
    attributes: { axis: -1 },
  });
  graph.output(logits, 'logits', onnx.float, [1, 'wanted', vocabulary]);
  const attention = graph.op('Concat', looked, { attributes: { axis: 0 } });
  graph.output(attention, 'attention', onnx.float, ['heads', 'tokens', 'positions']);
  return graph.toBytes();
}

interface Embedding {
  graph: Graph;
  tokens: string;
  /** Its length tells the place of the first new token. */
  past: string;
  embedding: Float32Array;
  file: WhisperFile;
}

function embedded({ graph, tokens, past, embedding, file }: Embedding): string {
  const { textState: state, textContext, vocabulary } = file.shape;
  // In half precision, as the file has it: of this table a few rows are read, nothing is multiplied.
  const bytes = new Uint8Array(new Float16Array(embedding).buffer);
  const table = graph.constant({ type: onnx.float16, dims: [vocabulary, state], bytes });
  const rows = graph.op('Cast', [graph.op('Gather', [table, tokens])], { attributes: { to: onnx.float } });
  const places = graph.constant(floats([textContext, state], file.tensor('decoder.positional_embedding')));
  const start = graph.op('Shape', [past], { attributes: { start: 2, end: 3 } });
  const length = graph.op('Shape', [tokens], { attributes: { start: 1, end: 2 } });
  const end = graph.op('Add', [start, length]);
  return graph.op('Add', [rows, graph.op('Slice', [places, start, end, graph.constant(integers([0]))])]);
}

function selfAttention({ graph, linear }: Layers, x: string, name: string, past: Pair, heads: number) {
  const parts = ['query', 'key', 'value'].map((part) => linear(x, `${name}.${part}`));
  const [attended, key, value] = graph.ops('MultiHeadAttention', [...parts, '', '', '', ...past], 3, {
    domain: 'com.microsoft',
    attributes: { num_heads: heads, unidirectional: 1 },
  }) as [string, string, string];
  return { output: linear(attended, `${name}.out`), key, value };
}

/**
 * Written out, because the weights are wanted: they tell when a word was said. The scale is multiplied into the query's
 * matrix: as an operation of its own it made the multiplication by the keys fourteen times as slow on arm64.
 */
function crossAttention(
  { graph, linear, splitHeads, joinHeads }: Layers,
  x: string,
  name: string,
  [keys, values]: Pair,
  { heads, head, bias }: { heads: number; head: number; bias: string },
) {
  const query = splitHeads(linear(x, `${name}.query`, 1 / Math.sqrt(head)), heads);
  const scores = graph.op('Add', [graph.op('MatMul', [query, keys]), bias]);
  const weights = graph.op('Softmax', [scores], { attributes: { axis: -1 } });
  return { weights, output: linear(joinHeads(graph.op('MatMul', [weights, values])), `${name}.out`) };
}

/** Some heads of `[1, heads, tokens, positions]`. */
function pick(graph: Graph, weights: string, heads: readonly number[]): string {
  const flat = graph.op('Squeeze', [weights, graph.constant(integers([0]))]);
  return graph.op('Gather', [flat, graph.constant(integers(heads))], { attributes: { axis: 0 } });
}
