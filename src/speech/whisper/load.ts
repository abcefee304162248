import { statSync } from 'node:fs';
import { halfOf, InferenceSession } from '../onnx-runtime.ts';
import type { Recogniser } from '../recogniser.ts';
import { openWhisperFile, type WhisperFile } from './ggml-file.ts';
import { type CacheOptions, cachedGraphs, type Graphs, weightsName } from './graph-cache.ts';
import { openHubFolder } from './hub-folder.ts';
import { createWhisperRecogniser } from './recogniser.ts';
import { createTokens } from './tokens.ts';

export interface LoadOptions extends CacheOptions {
  name: string;
  threads: number;
}

/** A Whisper model, a file in GGML's format or a folder of the hub, on ONNX Runtime. */
export async function loadWhisper(options: LoadOptions): Promise<Recogniser> {
  const file = openWhisper(options.path);
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

const openWhisper = (path: string): WhisperFile =>
  statSync(path).isDirectory() ? openHubFolder(path) : openWhisperFile(path);

export { hasGraphs } from './graph-cache.ts';

/** Makes the graphs that `loadWhisper` needs; false if there is no folder for them. */
export function prepareGraphs(options: CacheOptions): boolean {
  const file = openWhisper(options.path);
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
