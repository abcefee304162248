import { join } from 'node:path';
import { halfOf, InferenceSession, Tensor } from '../onnx-runtime.ts';
import { graphFile, readPrepared } from '../prepared.ts';
import { contextFrames, embeddingSize, type SpeakerNetwork } from './embed.ts';
import { cepstra } from './features.ts';

/** The x-vector network of Vosk (docs/decisions/0082-speakers.md), from the folder that tools/prepare-model made. */
export async function loadSpeakerNetwork(place: string, threads: number): Promise<SpeakerNetwork> {
  const mean = Float32Array.from(readPrepared(place).mean);
  const session = await InferenceSession.create(join(place, graphFile('speakers')), {
    intraOpNumThreads: halfOf(threads),
    interOpNumThreads: 1,
    enableCpuMemArena: false,
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  });

  return {
    async embed(features, windows) {
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
      return windows.map((_, i) => toUnit(all.slice(i * embeddingSize, (i + 1) * embeddingSize), mean));
    },
  };
}

function toUnit(voice: Float32Array, mean: Float32Array): Float32Array {
  const centred = voice.map((value, i) => value - (mean[i] ?? 0));
  const length = Math.hypot(...centred);
  return centred.map((value) => value / length);
}
