import { type AudioFormat, audioFormats, formatsWithoutNativeDecoder } from '../domain/audio.ts';
import type { AudioDecoder } from '../ports/audio.ts';
import { createAudioDecoder } from './decoder.ts';

/** A fifth of a second of silence as FLAC, which only the native decoder reads. */
const silence = Buffer.from(
  'ZkxhQ4AAACIGQAZAAAAAAAAAA+gA8AAABkAAAAAAAAAAAAAAAAAAAAAA//hwCAAGP9kAAACccv/4cAgBBj+yAAAAAXM=',
  'base64',
);

export interface ReadableFormats {
  formats: readonly AudioFormat[];
  /** Why some are missing. */
  problem?: unknown;
}

/** What this machine can decode: it tries, in a process that it ends again. */
export async function readableFormats(
  decoder: Pick<AudioDecoder, 'open' | 'close'> = createAudioDecoder(),
): Promise<ReadableFormats> {
  try {
    await decoder.open(silence);
    return { formats: audioFormats };
  } catch (problem) {
    return { formats: formatsWithoutNativeDecoder, problem };
  } finally {
    await decoder.close();
  }
}
