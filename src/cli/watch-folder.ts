import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { z } from 'zod';
import { audioFormats } from '../domain/audio.ts';
import { jsonIn } from '../lib/json.ts';
import { Failure } from './errors.ts';

/** Other file extensions of the same formats. */
const endings = new Set([...audioFormats, 'oga', 'opus', 'aif', 'm4b'].map((format) => `.${format}`));
const memoryFile = '.steno-watch.jsonl';

const taken = z.object({
  /** The address that it was sent to. */
  server: z.string(),
  path: z.string(),
  size: z.number(),
  mtime_ms: z.number(),
  sha256: z.string(),
  recording_id: z.string().nullable(),
  error: z.string().nullable(),
});
export type Taken = z.infer<typeof taken>;

export interface FoundFile {
  /** Within the folder. */
  path: string;
  file: string;
  size: number;
  mtimeMs: number;
  /** Changes with the file. */
  stamp: string;
}

/** The recordings of a folder that were not sent to the server yet. What was sent is remembered in the folder itself. */
export async function openWatchedFolder(folder: string, server: string) {
  const remembered = await readMemory(folder, server);
  const hashes = new Set(remembered.map(({ sha256 }) => sha256));
  const known = new Set(remembered.map(({ path, size, mtime_ms }) => stampOf(path, size, mtime_ms)));
  let before = new Set<string>();

  return {
    /** New files that have not changed since the last scan, and how many others may be ready at the next. */
    async look(): Promise<{ ready: FoundFile[]; waiting: number }> {
      const found = (await filesIn(folder)).filter(({ stamp }) => !known.has(stamp));
      const full = found.filter(({ size }) => size > 0);
      const ready = full.filter(({ stamp }) => before.has(stamp));
      before = new Set(found.map(({ stamp }) => stamp));
      return { ready, waiting: full.length - ready.length };
    },

    /** Whether the same content was sent before, also under another name. */
    isKnown: (sha256: string) => hashes.has(sha256),

    /** On disk when it resolves, so that a restart does not send the file again. */
    async remember(
      { path, size, mtimeMs, stamp }: FoundFile,
      result: Pick<Taken, 'sha256' | 'recording_id' | 'error'>,
    ): Promise<void> {
      const line: Taken = { server, path, size, mtime_ms: mtimeMs, ...result };
      const file = await open(join(folder, memoryFile), 'a');
      try {
        await file.appendFile(`${JSON.stringify(line)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      hashes.add(result.sha256);
      known.add(stamp);
    },
  };
}

const stampOf = (path: string, size: number, mtimeMs: number) => JSON.stringify([path, size, mtimeMs]);

export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

async function readMemory(folder: string, server: string): Promise<Taken[]> {
  const path = join(folder, memoryFile);
  const text = await readFile(path, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return '';
    // Taken for empty, everything would be sent again.
    throw new Failure(`${path} cannot be read; check that it is yours.`, { cause });
  });
  return text.split('\n').flatMap((line) => {
    // The last line may be cut off.
    const { data } = taken.safeParse(jsonIn(line));
    return data?.server === server ? [data] : [];
  });
}

/** Recordings by their ending, in all subfolders, without hidden ones. */
async function filesIn(folder: string): Promise<FoundFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((cause: unknown) => {
    throw new Failure(`The folder ${folder} cannot be read; check that it exists and is yours.`, { cause });
  });
  const files: FoundFile[] = [];
  for (const entry of entries) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file);
    if (!entry.isFile() || !endings.has(extname(path).toLowerCase()) || /(^|[\\/])\./.test(path)) continue;
    // Gone again, or not readable: the next scan will tell.
    const found = await stat(file).catch(() => undefined);
    if (!found) continue;
    const { size, mtimeMs } = found;
    files.push({ path, file, size, mtimeMs, stamp: stampOf(path, size, mtimeMs) });
  }
  return files.sort((one, other) => one.mtimeMs - other.mtimeMs);
}
