import { BufferSource, CustomSource, ReadableStreamSource, type Source } from 'mediabunny';
import { BadAudio } from '../../domain/speech-errors.ts';
import { closedClusters } from './live-webm.ts';
import { isStreamable, type ReadBytes, readHead, sniffAudio } from './sniff.ts';

/** A file of which only parts need to be in memory. */
export interface FileBytes {
  /** Its beginning, with tags and headers; all of a small file. */
  readonly head: Uint8Array;
  /** Of a file that is still written, whose length is unknown: its bytes as they come. For one reader. */
  readonly growing?: AsyncIterable<Uint8Array>;
  source(): Source;
  /** One after another, with an overlap, so that a short run of bytes is whole in one of them. */
  parts(): AsyncIterable<Uint8Array>;
  /** For formats that are written anew before they are read. Raises BadAudio for a file that is too large for it. */
  whole(): Promise<Uint8Array>;
}

const partBytes = 1_048_576;
const overlapBytes = 64;
const mostWholeBytes = 200 * 1_048_576;
/** What mediabunny keeps; by default 8 MiB. */
const cacheBytes = 2 * 1_048_576;

export function wholeFile(bytes: Uint8Array): FileBytes {
  return {
    head: bytes,
    source: () => new BufferSource(bytes),
    async *parts() {
      yield bytes;
    },
    whole: async () => bytes,
  };
}

/** A file that stays where it is: `read` gives its bytes when they are needed. */
export async function fileInParts(size: number, read: ReadBytes): Promise<FileBytes> {
  const head = await readHead(size, read);
  return {
    head,
    source: () => new CustomSource({ getSize: () => size, read, maxCacheSize: cacheBytes }),
    async *parts() {
      for (let at = 0; at < size; at += partBytes)
        yield await read(at, Math.min(size, at + partBytes + overlapBytes));
    },
    async whole() {
      if (size > mostWholeBytes)
        throw new BadAudio(
          `A file of this kind may have at most ${mostWholeBytes / 1_048_576} MiB. Save the recording as MP3, M4A or WAV.`,
        );
      return read(0, size);
    },
  };
}

/** Enough to tell what a file is. */
const leastHeadBytes = 4_096;

const notYet = () => new BadAudio('A recording of this kind cannot be transcribed before it is complete.');

/** A file that is still written, from its beginning on. `next` gives what follows, and nothing at the end. Raises BadAudio. */
export async function growingFile(next: () => Promise<Uint8Array>): Promise<FileBytes> {
  const first: Uint8Array[] = [];
  for (let length = 0; length < leastHeadBytes; ) {
    const bytes = await next();
    if (bytes.length === 0) break;
    first.push(bytes);
    length += bytes.length;
  }
  const head = Buffer.concat(first);
  if (sniffAudio(head) !== null && !isStreamable(head)) throw notYet();
  const growing = (async function* () {
    for (let bytes: Uint8Array = head; bytes.length > 0; bytes = await next()) yield bytes;
  })();
  return {
    head,
    growing,
    source() {
      const parts = sniffAudio(head) === 'webm' ? closedClusters(growing) : growing;
      return new ReadableStreamSource(ReadableStream.from(parts), { maxCacheSize: cacheBytes });
    },
    async *parts() {
      yield head;
    },
    async whole() {
      throw notYet();
    },
  };
}

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
