import type { WhisperFile } from './ggml-file.ts';
import { floats, type Graph, integers, onnx } from './onnx-writer.ts';

/** The parts that encoder and decoder share, as operations of a graph. */
export interface Layers {
  graph: Graph;
  /** Multiplication by the matrix of that name, and its bias. `scale` is multiplied into both. */
  linear(input: string, name: string, scale?: number): string;
  /** Multiplication by a matrix of so many rows, each for one output. */
  multiply(input: string, weight: Float32Array, outputs: number, bias: Float32Array | null): string;
  norm(input: string, name: string): string;
  /** `[1, positions, state]` as `[1, heads, positions, head]`, or with the last two exchanged. */
  splitHeads(input: string, heads: number, order?: 'rows' | 'columns'): string;
  joinHeads(input: string): string;
  feedForward(input: string, name: string): string;
}

/** Seven bits: eight overflow the 16-bit sums of x86 processors without VNNI. Both gave the same wrong words. */
const levels = 63;

export function createLayers(graph: Graph, file: WhisperFile, state: number): Layers {
  function multiply(input: string, weight: Float32Array, outputs: number, bias: Float32Array | null): string {
    const { bytes, scales } = toInt8(weight, outputs);
    const inputs = weight.length / outputs;
    return graph.op(
      'DynamicQuantizeMatMul',
      [
        input,
        graph.constant({ type: onnx.int8, dims: [inputs, outputs], bytes }),
        graph.constant(floats([outputs], scales)),
        graph.constant({ type: onnx.int8, dims: [outputs], bytes: new Uint8Array(outputs) }),
        ...(bias ? [graph.constant(floats([outputs], bias))] : []),
      ],
      { domain: 'com.microsoft' },
    );
  }

  function linear(input: string, name: string, scale = 1): string {
    const weight = file.tensor(`${name}.weight`);
    // Keys have no bias.
    const bias = name.endsWith('.key') ? null : file.tensor(`${name}.bias`);
    if (scale !== 1) for (const values of [weight, bias]) values?.set(values.map((value) => value * scale));
    return multiply(input, weight, bias?.length ?? state, bias);
  }

  return {
    graph,
    multiply,
    linear,
    norm(input, name) {
      const [scale, bias] = ['weight', 'bias'].map((part) =>
        graph.constant(floats([state], file.tensor(`${name}.${part}`))),
      ) as [string, string];
      return graph.op('LayerNormalization', [input, scale, bias], {
        attributes: { axis: -1, epsilon: 1e-5 },
      });
    },
    splitHeads(input, heads, order = 'rows') {
      const shape = graph.constant(integers([1, -1, heads, state / heads]));
      const split = graph.op('Reshape', [input, shape]);
      const perm = order === 'rows' ? [0, 2, 1, 3] : [0, 2, 3, 1];
      return graph.op('Transpose', [split], { attributes: { perm } });
    },
    joinHeads(input) {
      const back = graph.op('Transpose', [input], { attributes: { perm: [0, 2, 1, 3] } });
      return graph.op('Reshape', [back, graph.constant(integers([1, -1, state]))]);
    },
    feedForward: (input, name) => linear(graph.op('Gelu', [linear(input, `${name}.mlp.0`)]), `${name}.mlp.2`),
  };
}

/** Rows become columns, each with a scale of its own. */
function toInt8(weight: Float32Array, outputs: number): { bytes: Uint8Array; scales: Float32Array } {
  const inputs = weight.length / outputs;
  const bytes = new Int8Array(weight.length);
  const scales = new Float32Array(outputs);
  for (let output = 0; output < outputs; output++) {
    let largest = 0;
    for (let i = output * inputs; i < (output + 1) * inputs; i++)
      largest = Math.max(largest, Math.abs(weight[i] as number));
    scales[output] = largest / levels || 1;
  }
  // In squares that the caches hold: whole columns took more than twice as long.
  const side = 64;
  for (let rows = 0; rows < inputs; rows += side)
    for (let output = 0; output < outputs; output++) {
      const perScale = 1 / (scales[output] as number);
      for (let i = rows; i < Math.min(rows + side, inputs); i++)
        // Adding and taking 128 rounds, in half the time of Math.round.
        bytes[i * outputs + output] =
          (((weight[output * inputs + i] as number) * perScale + 128.5) | 0) - 128;
    }
  return { bytes: new Uint8Array(bytes.buffer), scales };
}
