import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { embeddingSize } from '../../src/engines/speech/diarize/embed.ts';
import { cepstra } from '../../src/engines/speech/diarize/features.ts';
import { type Nnet3, readNnet3, readVector } from './nnet3-file.ts';
import { createGraph, floats, type Graph, integers, onnx, type WeightsSink } from './onnx-writer.ts';

const layers = [
  { name: 'tdnn1', inputs: cepstra, offsets: [-2, -1, 0, 1, 2] },
  { name: 'tdnn2', inputs: 512, offsets: [-2, 0, 2] },
  { name: 'tdnn3', inputs: 512, offsets: [-3, 0, 3] },
  { name: 'tdnn4', inputs: 512, offsets: [0] },
  { name: 'tdnn5', inputs: 512, offsets: [0] },
];
/** Kaldi's, for the variance of a batch. */
const varianceFloor = 0.001;

/** The x-vector network of Vosk (docs/decisions/0082-speakers.md). */
export function speakerGraph(folder: string, sink: WeightsSink) {
  const mean = readVector(readFileSync(join(folder, 'mean.vec'), 'latin1'));
  return { mean, graph: voiceGraph(readNnet3(readFileSync(join(folder, 'final.ext.raw'))), sink) };
}

/** `features [frames, cepstra]`, and for each window the share of each frame, give `voices [windows, embeddingSize]`. */
function voiceGraph(file: Nnet3, sink: WeightsSink): Uint8Array {
  const graph = createGraph('voices', sink);
  const shares = graph.input('shares', onnx.float, ['windows', 'heard']);
  let x = graph.input('features', onnx.float, ['frames', cepstra]);
  for (const { name, offsets } of layers) {
    x = affine(graph, file, `${name}.affine`, spliced(graph, x, offsets));
    x = normalised(graph, file, name, graph.op('Relu', [x]));
  }
  const means = graph.op('MatMul', [shares, x]);
  const squares = graph.op('MatMul', [shares, graph.op('Mul', [x, x])]);
  const variance = graph.op('Sub', [squares, graph.op('Mul', [means, means])]);
  const floor = graph.constant(floats([1], [1e-6]));
  const deviations = graph.op('Sqrt', [graph.op('Max', [variance, floor])]);
  const both = graph.op('Concat', [means, deviations], { attributes: { axis: 1 } });
  graph.output(affine(graph, file, 'tdnn6.affine', both), 'voices', onnx.float, ['windows', embeddingSize]);
  return graph.toBytes();
}

/** Each frame beside those at the offsets from it; frames without them are left out. */
function spliced(graph: Graph, x: string, offsets: readonly number[]): string {
  const [first, last] = [offsets[0] ?? 0, offsets.at(-1) ?? 0];
  if (first === last) return x;
  const parts = offsets.map((offset) =>
    graph.op('Slice', [
      x,
      graph.constant(integers([offset - first])),
      graph.constant(integers([offset === last ? Number.MAX_SAFE_INTEGER : offset - last])),
      graph.constant(integers([0])),
    ]),
  );
  return graph.op('Concat', parts, { attributes: { axis: 1 } });
}

function affine(graph: Graph, file: Nnet3, name: string, x: string): string {
  const { rows, columns, values } = file.matrix(`${name}.LinearParams`);
  const weight = graph.constant(floats([rows, columns], values));
  const bias = graph.constant(floats([rows], file.vector(`${name}.BiasParams`)));
  return graph.op('Gemm', [x, weight, bias], { attributes: { transB: 1 } });
}

function normalised(graph: Graph, file: Nnet3, name: string, x: string): string {
  const mean = file.vector(`${name}.batchnorm.StatsMean`);
  const scale = file
    .vector(`${name}.batchnorm.StatsVar`)
    .map((value) => 1 / Math.sqrt(value + varianceFloor));
  const centred = graph.op('Sub', [x, graph.constant(floats([mean.length], mean))]);
  return graph.op('Mul', [centred, graph.constant(floats([scale.length], scale))]);
}
