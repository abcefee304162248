import type { ChunkRecognised } from '../recogniser.ts';
import type { TwiceHeard } from './second-hearing.ts';

/** What was heard in a chunk, with times from the beginning of the recording; those of the voices from that of the chunk. */
export interface Heard extends ChunkRecognised, TwiceHeard {
  start: number;
}

interface PackedHeard extends Omit<Heard, 'voices'> {
  voices: { times: string; vectors: string } | null;
}

/** As JSON. Voices have half as many bits as in memory, because there are four of them in each second of speech. */
export function packHeard(heard: Heard): string {
  const { voices, ...rest } = heard;
  const packed: PackedHeard = {
    ...rest,
    voices: voices && {
      times: base64(voices.times),
      vectors: base64(Float16Array.from(voices.vectors)),
    },
  };
  return JSON.stringify(packed);
}

export function unpackHeard(text: string): Heard {
  // Written above.
  const { voices, ...heard } = JSON.parse(text) as PackedHeard;
  if (voices === null) return { ...heard, voices };
  return {
    ...heard,
    voices: {
      times: new Float64Array(bytes(voices.times)),
      vectors: Float32Array.from(new Float16Array(bytes(voices.vectors))),
    },
  };
}

const base64 = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** In a buffer of their own, because numbers must begin at a multiple of their size. */
const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'base64')).buffer;
