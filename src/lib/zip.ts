import { type PassThrough, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import yauzl, { type Entry, type ZipFile } from 'yauzl';
import yazl from 'yazl';

export interface ZipEntry {
  path: string;
  chunks: Iterable<string> | AsyncIterable<string | Uint8Array>;
  /** Compressed content is stored as it is. */
  isCompressed?: boolean;
}

/** Nothing is read ahead: each entry is asked for when the one before it has been written. */
export function zipOf(entries: AsyncIterable<ZipEntry>): Readable {
  const zip = new yazl.ZipFile();
  // yazl types it as any readable. A stream around it would wait for its next bytes before it can be destroyed.
  const output = zip.outputStream as PassThrough;
  let content: Readable | undefined;
  output.once('close', () => content?.destroy());
  const add = ({ path, isCompressed = false, ...entry }: ZipEntry) =>
    new Promise<void>((resolve, reject) => {
      zip.addReadStreamLazy(path, { compress: !isCompressed }, (give) => {
        content = Readable.from(encoded(entry.chunks), { objectMode: false });
        // yazl keeps this function until the end of the archive, and with it the text of every note.
        entry.chunks = [];
        content.once('close', resolve).once('error', reject);
        give(null, content);
      });
      unpool(zip);
    });
  const addAll = async () => {
    for await (const entry of entries) {
      // The client is gone.
      if (output.destroyed) return;
      await add(entry);
    }
    zip.end();
  };
  addAll().catch((cause: unknown) =>
    output.destroy(cause instanceof Error ? cause : new Error(String(cause))),
  );
  return output;
}

/**
 * yazl keeps the names until it writes the directory at the end. Each is a slice of a buffer of 64 kB that Node shares out,
 * also to the compressors: 20,000 names held 450 MB. A copy holds its own bytes.
 */
function unpool(zip: yazl.ZipFile): void {
  // The types do not have this array.
  const last = (zip as unknown as { entries: { utf8FileName: Buffer }[] }).entries.at(-1);
  if (last) last.utf8FileName = Buffer.alloc(last.utf8FileName.length, last.utf8FileName);
}

async function* encoded(chunks: ZipEntry['chunks']) {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

const openPath = promisify<string, yauzl.Options, ZipFile>(yauzl.open);
const openFd = promisify<number, yauzl.Options, ZipFile>(yauzl.fromFd);

export interface ZipBounds {
  maxLineBytes: number;
  /** Limit for everything that is read, unpacked. */
  maxBytes: number;
  /** Of all files together, empty ones too. */
  maxLines?: number;
  maxEntries?: number;
}

/**
 * The lines or bytes of the entries by their paths. Bounded, because a small archive can hold very much: raises RangeError. A file
 * that is open already stays open.
 */
export async function openZip(
  file: string | number,
  { maxLineBytes, maxBytes, maxLines = Infinity, maxEntries = Infinity }: ZipBounds,
  isWanted: (path: string) => boolean = () => true,
) {
  const options = { lazyEntries: true, autoClose: false };
  const zip = await (typeof file === 'number' ? openFd(file, options) : openPath(file, options));
  const close = () => {
    if (typeof file === 'string') zip.close();
  };
  const entries = new Map<string, Entry>();
  // yauzl refuses names that lead out of the folder, and entries that are longer than they say.
  try {
    if (zip.entryCount > maxEntries) throw new RangeError('it has too many files');
    for await (const entry of zip.eachEntry())
      if (isWanted(entry.fileName)) entries.set(entry.fileName, entry);
  } catch (cause) {
    close();
    throw cause;
  }
  let read = 0;
  let lineCount = 0;

  async function* bytes(path: string): AsyncGenerator<Buffer> {
    const entry = entries.get(path);
    if (!entry) return;
    let sum = 0;
    const stream: AsyncIterable<Buffer> = await promisify(zip.openReadStream.bind(zip, entry))();
    for await (const chunk of stream) {
      read += chunk.length;
      sum = crc32(chunk, sum);
      if (read > maxBytes) throw new RangeError('the archive is too large');
      yield chunk;
    }
    if (sum !== entry.crc32) throw new Error(`${path} is damaged`);
  }

  return {
    has: (path: string) => entries.has(path),
    files: () =>
      [...entries.values()].map((entry) => ({
        path: entry.fileName,
        bytes: entry.uncompressedSize,
        updated: entry.getLastModDate(),
      })),
    bytes,
    /** Without empty lines. */
    async *lines(path: string): AsyncGenerator<Buffer> {
      let rest: Buffer[] = [];
      let length = 0;
      for await (const chunk of bytes(path)) {
        let from = 0;
        for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
          lineCount += 1;
          if (lineCount > maxLines) throw new RangeError('it has too many lines');
          if (length + end > from) yield Buffer.concat([...rest, chunk.subarray(from, end)]);
          [rest, length, from] = [[], 0, end + 1];
        }
        rest.push(chunk.subarray(from));
        length += chunk.length - from;
        if (length > maxLineBytes) throw new RangeError(`a line of ${path} is too long`);
      }
      if (length > 0) yield Buffer.concat(rest);
    },
    close,
  };
}
