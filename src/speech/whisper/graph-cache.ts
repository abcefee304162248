import { createHash, randomUUID } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { decoderGraph } from './decoder-graph.ts';
import { encoderGraph } from './encoder-graph.ts';
import type { WhisperFile } from './ggml-file.ts';
import type { WeightsSink } from './onnx-writer.ts';

/** The graphs as files, or in memory where no folder can be written to. */
export type Graphs =
  | { in: 'folder'; encoder: string; decoder: string }
  | { in: 'memory'; encoder: Uint8Array; decoder: Uint8Array; weights: Uint8Array };

export interface CacheOptions {
  /** The model file. */
  path: string;
  /** The first one that can be written to is used. */
  folders: readonly string[];
  /** Compare the hashes of what is found as well, not only the sizes. */
  checkHash: boolean;
}

const encoderName = 'encoder.onnx';
const decoderName = 'decoder.onnx';
export const weightsName = 'weights.bin';
const sumsName = 'sums.json';
/** Raise it when the code here makes other graphs of the same file. */
const graphVersion = 1;
/** A draft that old was left behind by a process that was stopped. */
const abandonedMs = 600_000;

/**
 * The graphs of a model file: made at the first start, with 1.5 s of work, and found ready afterwards. A folder is named
 * after the file and the code, so a change of either makes a new one; it appears whole or not at all.
 */
export function cachedGraphs(file: WhisperFile, { path, folders, checkHash }: CacheOptions): Graphs {
  const name = nameFor(path);
  for (const folder of folders) {
    const place = join(folder, name);
    if (isWhole(place, checkHash)) return graphsIn(place);
    try {
      build(file, place);
      removeOthers(folder, name);
      return graphsIn(place);
    } catch (error) {
      if (!isUnwritable(error)) throw error;
    }
  }
  return buildInMemory(file);
}

/** Whether they are there, and whole. */
export const hasGraphs = ({ path, folders, checkHash }: CacheOptions): boolean =>
  folders.some((folder) => isWhole(join(folder, nameFor(path)), checkHash));

const graphsIn = (place: string): Graphs => ({
  in: 'folder',
  encoder: join(place, encoderName),
  decoder: join(place, decoderName),
});

const unwritable = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOENT', 'ENOTDIR', 'ERR_ACCESS_DENIED'];
const isUnwritable = (error: unknown) =>
  error instanceof Error && 'code' in error && unwritable.includes(String(error.code));

/** First the place of the file, then what changes: its size and date, and the version of the graphs. */
function nameFor(path: string): string {
  const { size, mtimeMs } = fs.statSync(path);
  return fileMark(path) + shortHash(JSON.stringify([size, mtimeMs, graphVersion]));
}

const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** Piece by piece: the weights of a large model take gigabytes. */
function hashOf(path: string): string {
  const hash = createHash('sha256');
  const piece = Buffer.alloc(2 ** 20);
  const file = fs.openSync(path, 'r');
  try {
    for (let got = fs.readSync(file, piece); got > 0; got = fs.readSync(file, piece))
      hash.update(piece.subarray(0, got));
  } finally {
    fs.closeSync(file);
  }
  return hash.digest('hex');
}

/** Removes what was made of a model file that goes away. */
export function forgetGraphs(path: string, folders: readonly string[]): void {
  for (const folder of folders.filter((each) => fs.existsSync(each)))
    for (const name of fs.readdirSync(folder).filter((each) => each.startsWith(fileMark(path))))
      fs.rmSync(join(folder, name), { recursive: true, force: true });
}

const fileMark = (path: string) => `whisper-${shortHash(fs.realpathSync(path))}-`;

function isWhole(place: string, checkHash: boolean): boolean {
  try {
    const sums: [string, number, string][] = JSON.parse(fs.readFileSync(join(place, sumsName), 'utf8'));
    return sums.every(([name, bytes, hash]) => {
      const path = join(place, name);
      return fs.statSync(path).size === bytes && (!checkHash || hashOf(path) === hash);
    });
  } catch {
    return false;
  }
}

/** Two processes may do this at once: each makes a draft of its own, and one of them becomes the folder. */
function build(file: WhisperFile, place: string): void {
  const [draft, damaged] = [`${place}.${randomUUID()}`, `${place}.${randomUUID()}`];
  fs.mkdirSync(draft, { recursive: true });
  try {
    writeGraphs(file, draft);
    // What is there is damaged, or was finished by another process in the meantime.
    if (fs.existsSync(place) && !isWhole(place, true)) fs.renameSync(place, damaged);
    fs.renameSync(draft, place);
  } catch (error) {
    if (!isWhole(place, true)) throw error;
  } finally {
    for (const folder of [draft, damaged]) fs.rmSync(folder, { recursive: true, force: true });
  }
}

function writeGraphs(file: WhisperFile, folder: string): void {
  const weights = fs.openSync(join(folder, weightsName), 'w');
  try {
    const sink = createSink((bytes) => writeAll(weights, bytes));
    fs.writeFileSync(join(folder, encoderName), encoderGraph(file, sink));
    fs.writeFileSync(join(folder, decoderName), decoderGraph(file, sink));
  } finally {
    fs.closeSync(weights);
  }
  const sums = [encoderName, decoderName, weightsName].map((name) => {
    const path = join(folder, name);
    return [name, fs.statSync(path).size, hashOf(path)];
  });
  fs.writeFileSync(join(folder, sumsName), JSON.stringify(sums));
}

function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += fs.writeSync(file, bytes, done);
}

/** What an earlier version of the code or of the file left behind. */
function removeOthers(folder: string, name: string): void {
  const sameFile = name.slice(0, name.lastIndexOf('-') + 1);
  for (const other of fs.readdirSync(folder)) {
    const place = join(folder, other);
    const isDraft = other.includes('.');
    const isOld = () => Date.now() - fs.statSync(place).mtimeMs > abandonedMs;
    if (!other.startsWith(sameFile) || other === name || (isDraft && !isOld())) continue;
    fs.rmSync(place, { recursive: true, force: true });
  }
}

function buildInMemory(file: WhisperFile): Graphs {
  const parts: Uint8Array[] = [];
  const sink = createSink((bytes) => void parts.push(bytes));
  const [encoder, decoder] = [encoderGraph(file, sink), decoderGraph(file, sink)];
  return { in: 'memory', encoder, decoder, weights: Buffer.concat(parts) };
}

/** Each constant begins a page: the system can map the file then, and the workers share the memory. */
function createSink(write: (bytes: Uint8Array) => void): WeightsSink {
  const pageBytes = 4096;
  let end = 0;
  return {
    location: weightsName,
    append(bytes) {
      const start = Math.ceil(end / pageBytes) * pageBytes;
      write(new Uint8Array(start - end));
      write(bytes);
      end = start + bytes.length;
      return start;
    },
  };
}
