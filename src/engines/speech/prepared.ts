import { createHash, type Hash } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { hubWeights } from './whisper/shape.ts';

/** Raise it when tools/prepare-model makes other files of the same weights. */
const toolVersion = 1;

/** The files of a prepared model: its graphs in ONNX's format, their weights, and what else is read from it. */
export const graphFile = (graph: 'encoder' | 'decoder' | 'speakers') => `${graph}.onnx`;
export const weightsFile = 'weights.bin';
export const modelFile = 'model.json';
export const sumsFile = 'sums.json';

/** Name, bytes and SHA-256 of each file of a prepared model. */
export type Sums = [name: string, bytes: number, sha256: string][];

export interface PreparedOptions {
  /** Of the model. */
  path: string;
  folders: readonly string[];
  /** Compare the hashes of the files as well, not only their sizes. */
  checkHash: boolean;
}

/** The folder that tools/prepare-model made of a model; null where there is none, or a damaged one. */
export function findPrepared({ path, folders, checkHash }: PreparedOptions): string | null {
  const name = preparedName(path);
  return folders.map((folder) => join(folder, name)).find((place) => isWhole(place, checkHash)) ?? null;
}

/** What else than its graphs the server needs of a prepared model. */
export const readPrepared = (place: string) => JSON.parse(fs.readFileSync(join(place, modelFile), 'utf8'));

/** After the weights and the tool's version: a change of either is another. */
export const preparedName = (path: string) => `model-${markOf(path)}-${toolVersion}`;

/** Removes what was made of a model that goes away. */
export function forgetPrepared(path: string, folders: readonly string[]): void {
  const name = preparedName(path);
  for (const folder of folders) fs.rmSync(join(folder, name), { recursive: true, force: true });
}

export function isWhole(place: string, checkHash: boolean): boolean {
  try {
    const sums: Sums = JSON.parse(fs.readFileSync(join(place, sumsFile), 'utf8'));
    return sums.every(([name, bytes, sha256]) => {
      const path = join(place, name);
      return fs.statSync(path).size === bytes && (!checkHash || hashOf(path) === sha256);
    });
  } catch {
    return false;
  }
}

/** Piece by piece: the weights of a large model take gigabytes. */
export function hashOf(path: string): string {
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

const markOf = (path: string) => {
  const hash = createHash('sha256');
  for (const file of weightFiles(path)) addSamples(file, hash);
  return hash.digest('hex').slice(0, 16);
};

/** The files that hold the numbers of a model: of Vosk's folder for speakers, of a folder of the hub, or the file itself. */
export function weightFiles(path: string): string[] {
  if (!fs.statSync(path).isDirectory()) return [path];
  const speakers = ['final.ext.raw', 'mean.vec'].map((name) => join(path, name));
  return fs.existsSync(speakers[0] as string) ? speakers : hubWeights(path);
}

/** Size, date and 64 pieces of a file. All of its bytes would take half a second at each start. */
function addSamples(path: string, hash: Hash): void {
  const [pieces, pieceBytes] = [64, 4096];
  const file = fs.openSync(path, 'r');
  try {
    const { size, mtimeMs } = fs.fstatSync(file);
    // In whole seconds, as archives keep it.
    hash.update(`${size} ${Math.floor(mtimeMs / 1000)}\n`);
    const piece = Buffer.alloc(pieceBytes);
    for (let i = 0; i < pieces; i++) {
      const at = Math.floor((Math.max(0, size - pieceBytes) * i) / (pieces - 1));
      hash.update(piece.subarray(0, fs.readSync(file, piece, 0, pieceBytes, at)));
    }
  } finally {
    fs.closeSync(file);
  }
}
