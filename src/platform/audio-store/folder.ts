import { constants, createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { notFound, serviceUnavailable } from '../../domain/errors.ts';
import { inheritOwner } from '../../lib/file-owner.ts';
import type { AudioStore } from './audio-store.ts';

/** A kill loses no more of an upload than this. */
const saveEvery = { bytes: 4 * 1_048_576, ms: 1_000 };

/** Audio as files of one folder, which only the server's user can read. */
export function createAudioFolder(folder: string, ending = '.sound'): AudioStore {
  const pathOf = (id: string) => join(folder, id + ending);

  return {
    async append(id, offset, chunks, saved) {
      try {
        if (await mkdir(folder, { recursive: true, mode: 0o700 })) inheritOwner(folder);
        const file = await open(pathOf(id), constants.O_CREAT | constants.O_RDWR, 0o600);
        try {
          if (offset === 0) inheritOwner(pathOf(id));
          if (offset === 0) await syncFolder(folder);
          await inBatches(chunks, offset, saveEvery, async (parts, at) => {
            await writeAt(file, parts, at);
            await file.datasync();
            await saved(at + lengthOf(parts));
          });
        } finally {
          await file.close();
        }
      } catch (cause) {
        throw explain(cause);
      }
    },

    async open(id, size) {
      try {
        const file = await open(pathOf(id), 'r');
        return { size, read: (start, end) => readRange(file, start, end), close: () => file.close() };
      } catch (cause) {
        if (isMissing(cause)) return undefined;
        throw explain(cause);
      }
    },

    async *read(id, { start, end }) {
      let at = start;
      try {
        // A range of a stream includes its last byte.
        for await (const chunk of createReadStream(pathOf(id), { start, end: end - 1 })) {
          at += chunk.length;
          yield chunk;
        }
      } catch (cause) {
        throw isMissing(cause) ? notFound('Audio') : explain(cause);
      }
      if (at < end) throw endsTooEarly();
    },

    close() {},

    async remove(id) {
      await rm(pathOf(id), { force: true });
    },

    async *list() {
      try {
        for await (const { name } of await opendir(folder))
          if (name.endsWith(ending)) {
            const id = name.slice(0, name.length - ending.length);
            yield { id, bytes: (await stat(pathOf(id))).size };
          }
      } catch (cause) {
        if (!isMissing(cause)) throw explain(cause);
      }
    },
  };
}

async function writeAt(file: FileHandle, parts: readonly Uint8Array[], at: number): Promise<void> {
  let position = at;
  for (const part of parts)
    for (let from = 0; from < part.length; ) {
      const { bytesWritten } = await file.write(part, from, part.length - from, position);
      from += bytesWritten;
      position += bytesWritten;
    }
}

async function readRange(file: FileHandle, start: number, end: number): Promise<Uint8Array> {
  const bytes = Buffer.alloc(end - start);
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, bytes.length - at, start + at);
    if (bytesRead === 0) throw endsTooEarly();
    at += bytesRead;
  }
  return bytes;
}

/** A new file is there for good only when its folder is on disk as well. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const codeOf = (cause: unknown) => (cause instanceof Error && 'code' in cause ? cause.code : undefined);
const isMissing = (cause: unknown) => codeOf(cause) === 'ENOENT';

function explain(cause: unknown): unknown {
  // What the chunks raise has a message of its own.
  if (!(cause instanceof Error && 'syscall' in cause)) return cause;
  const isFull = codeOf(cause) === 'ENOSPC' || codeOf(cause) === 'EDQUOT';
  return unavailable(cause, isFull ? 'The disk of the server is full.' : undefined);
}

const unavailable = (cause: unknown, problem = 'The server cannot reach its recordings.') =>
  serviceUnavailable(`${problem} Try again later.`, { cause, retryAfterSeconds: 60 });

const endsTooEarly = () => unavailable(new Error('the file ends too early'));

export const lengthOf = (parts: readonly Uint8Array[]) => parts.reduce((sum, { length }) => sum + length, 0);

/**
 * Hands chunks on in batches of at least so many bytes, or of what came in so many milliseconds. When `chunks` fails, the
 * rest is handed on before the error is raised.
 */
export async function inBatches(
  chunks: AsyncIterable<Uint8Array>,
  offset: number,
  least: { bytes: number; ms: number },
  take: (parts: readonly Uint8Array[], at: number) => Promise<void>,
): Promise<void> {
  let batch: Uint8Array[] = [];
  let length = 0;
  let at = offset;
  let since = performance.now();

  async function flush(): Promise<void> {
    const [parts, bytes] = [batch, length];
    [batch, length] = [[], 0];
    if (bytes > 0) await take(parts, at);
    at += bytes;
    since = performance.now();
  }

  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next().catch(async (error: unknown) => {
        await flush();
        throw error;
      });
      if (next.done) break;
      batch.push(next.value);
      length += next.value.length;
      if (length >= least.bytes || performance.now() - since >= least.ms) await flush();
    }
    await flush();
  } finally {
    await iterator.return?.();
  }
}
