import { join } from 'node:path';
import { halfOf, InferenceSession } from '../onnx-runtime.ts';
import { graphFile, readPrepared } from '../prepared.ts';
import type { Recogniser } from '../recogniser.ts';
import { createWhisperRecogniser } from './recogniser.ts';
import { createTokens } from './tokens.ts';

export interface LoadOptions {
  name: string;
  /** The folder that tools/prepare-model made of the model. */
  place: string;
  threads: number;
}

/** A prepared Whisper model on ONNX Runtime. */
export async function loadWhisper({ name, place, threads }: LoadOptions): Promise<Recogniser> {
  const { shape, tokens } = readPrepared(place);
  const options: InferenceSession.SessionOptions = {
    interOpNumThreads: 1,
    executionMode: 'sequential',
    // A pool of memory of its own would never shrink. Going without costs 5 % of the time.
    enableCpuMemArena: false,
    // Threads that wait by turning in circles take the cores from the other workers.
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
  const open = (graph: 'encoder' | 'decoder', intraOpNumThreads: number) =>
    InferenceSession.create(join(place, graphFile(graph)), { ...options, intraOpNumThreads });
  return createWhisperRecogniser({
    name,
    shape,
    tokens: createTokens({ tokens, shape }),
    encoder: await open('encoder', threads),
    decoder: await open('decoder', halfOf(threads)),
  });
}
