import { skipId3 } from './sniff.ts';

// Apart from file-bytes.ts, so that the server does not load mediabunny, which is for the decoding processes.

export type ReadBytes = (start: number, end: number) => Promise<Uint8Array>;

/** Everything that says what a file is stands here, unless a picture in a tag comes before it. */
const headBytes = 65_536;
/** Pictures are rarely larger. */
const mostTagBytes = 32 * 1_048_576;

/** The first bytes, and those after the tags. */
export async function readHead(size: number, read: ReadBytes): Promise<Uint8Array> {
  const head = await read(0, Math.min(size, headBytes));
  const tags = skipId3(head);
  return tags + headBytes / 2 > head.length && tags < mostTagBytes
    ? read(0, Math.min(size, tags + headBytes))
    : head;
}
