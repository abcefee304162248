import type { ReadBytes } from './file-head.ts';

const blockBytes = 262_144;
/** Samples and tables of an MP4 are in different places, and are read in turns. */
const keptBlocks = 8;

export type RemoteBytes = ReturnType<typeof createRemoteBytes>;

/** Inside a decoding process: bytes of a file that the server reads for it, block by block. */
export function createRemoteBytes(size: number, ask: (block: { start: number; end: number }) => void) {
  const blocks = new Map<number, Promise<Uint8Array>>();
  const waiting = new Map<number, (bytes: Uint8Array) => void>();

  function block(start: number): Promise<Uint8Array> {
    const known = blocks.get(start);
    const bytes =
      known ??
      new Promise<Uint8Array>((resolve) => {
        waiting.set(start, resolve);
        ask({ start, end: Math.min(size, start + blockBytes) });
      });
    // The one that was used last is dropped last.
    blocks.delete(start);
    blocks.set(start, bytes);
    for (const oldest of blocks.keys()) {
      if (blocks.size <= keptBlocks) break;
      // A block that has not come yet stays: asked for again, it would have one answer for two waiters.
      if (!waiting.has(oldest)) blocks.delete(oldest);
    }
    return bytes;
  }

  const read: ReadBytes = async (start, end) => {
    const wanted = new Uint8Array(end - start);
    for (let at = start; at < end; ) {
      const from = at - (at % blockBytes);
      const part = (await block(from)).subarray(at - from, end - from);
      if (part.length === 0) throw new Error('the file is shorter than it was');
      wanted.set(part, at - start);
      at += part.length;
    }
    return wanted;
  };

  let position = 0;
  /** What follows in a file that is still growing; nothing at its end. */
  const next = () =>
    new Promise<Uint8Array>((resolve) => {
      const start = position;
      waiting.set(start, (bytes) => {
        position += bytes.length;
        resolve(bytes);
      });
      ask({ start, end: start + blockBytes });
    });

  return {
    read,
    next,
    /** The answer of the server. */
    give(start: number, bytes: Uint8Array): void {
      waiting.get(start)?.(bytes);
      waiting.delete(start);
    },
  };
}
