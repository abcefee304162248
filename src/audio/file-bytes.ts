import { BufferSource, CustomSource, ReadableStreamSource, type Source } from 'mediabunny';
import { BadAudio } from '../domain/speech-errors.ts';
import { isStreamable } from './can-grow.ts';
import { type ReadBytes, readHead } from './file-head.ts';
import { closedClusters } from './live-webm.ts';
import { sniffAudio } from './sniff.ts';

/** A file of which only parts need to be in memory. */
export interface FileBytes {
  /** Its beginning, with tags and headers; all of a small file. */
  readonly head: Uint8Array;
  /** Of one that is still written, and nobody knows how long it will be: its bytes as they come. For one reader. */
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

const notYet = () => new BadAudio('A recording of this kind cannot be heard before it is complete.');

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
