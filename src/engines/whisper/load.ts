import { halfOf, InferenceSession } from '../onnx-runtime.ts';
import type { Recogniser } from '../recogniser.ts';
import { openWhisperFile } from './ggml-file.ts';
import { type CacheOptions, cachedGraphs, type Graphs, weightsName } from './graph-cache.ts';
import { createWhisperRecogniser } from './recogniser.ts';
import { createTokens } from './tokens.ts';

export interface LoadOptions extends CacheOptions {
  name: string;
  threads: number;
}

/** A Whisper model in GGML's format on ONNX Runtime. */
export async function loadWhisper(options: LoadOptions): Promise<Recogniser> {
  const file = openWhisperFile(options.path);
  try {
    const graphs = cachedGraphs(file, options);
    const { encoder, decoder } = await openSessions(graphs, options.threads);
    return createWhisperRecogniser({
      name: options.name,
      shape: file.shape,
      tokens: createTokens(file),
      encoder,
      decoder,
    });
  } finally {
    file.close();
  }
}

export { hasGraphs } from './graph-cache.ts';

/** Makes the graphs that `loadWhisper` needs; false if there is no folder for them. */
export function prepareGraphs(options: CacheOptions): boolean {
  const file = openWhisperFile(options.path);
  try {
    return cachedGraphs(file, options).in === 'folder';
  } finally {
    file.close();
  }
}

async function openSessions(graphs: Graphs, threads: number) {
  const options: InferenceSession.SessionOptions = {
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // A pool of memory of its own would never shrink. Going without costs 5 % of the time.
    enableCpuMemArena: false,
    // Threads that wait by turning in circles take the cores from the other workers.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  const inMemory = graphs.in === 'memory' && { externalData: [{ path: weightsName, data: graphs.weights }] };
  const open = (graph: string | Uint8Array, intraOpNumThreads: number) =>
    typeof graph === 'string'
      ? InferenceSession.create(graph, { ...options, intraOpNumThreads })
      : InferenceSession.create(graph, { ...options, intraOpNumThreads, ...inMemory });
  return {
    encoder: await open(graphs.encoder, threads),
    decoder: await open(graphs.decoder, halfOf(threads)),
  };
}
