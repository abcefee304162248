import { constants, copyFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { invalid, serviceUnavailable } from '../../../domain/errors.ts';
import { hashFile, locateModel, type ModelFile, memoryCapBytes } from '../pool/model-file.ts';
import { prepareModel } from '../pool/prepare-model.ts';
import { type DownloadOptions, download, requireRoom } from './download.ts';
import { installedPath, requireModelName } from './folder.ts';

export interface ModelSource {
  name: string;
  /** An address, or the path of a file that is copied. */
  from: { url: string } | { file: string };
  /** What its SHA-256 must be; null when no sum is given. */
  sha256: string | null;
}

export interface AddedModel extends ModelFile {
  sha256: string;
  /** False when there was no published checksum to compare with. */
  isVerified: boolean;
}

interface AddOptions extends Omit<DownloadOptions, 'url' | 'part'> {
  folder: string;
  /** For prepared models. */
  cacheFolders: readonly string[];
}

/** Puts a model into the folder, whole, checked and prepared, or leaves the folder as it was. */
export async function addModel(
  { name, from, sha256 }: ModelSource,
  { folder, cacheFolders, ...options }: AddOptions,
): Promise<AddedModel> {
  const part = join(folder, `${requireModelName(name)}.part`);
  mkdirSync(folder, { recursive: true });
  const expected = [sha256];
  if ('url' in from) expected.push((await download({ url: from.url, part, ...options })).publishedSha256);
  else copy(from.file, part);
  try {
    const found = await hashFile(part);
    const wrong = expected.find((sum) => sum !== null && sum !== found);
    if (wrong) throw serviceUnavailable(notThatFile(name, found, wrong));
    const { format } = await requireModel(part, name, cacheFolders);
    const path = join(folder, `${name}.${format === 'gguf' ? 'gguf' : 'bin'}`);
    const before = installedPath(folder, name);
    renameSync(part, path);
    if (before !== null && before !== path) rmSync(before);
    return { ...locateModel(path), sha256: found, isVerified: expected.some((sum) => sum !== null) };
  } catch (cause) {
    rmSync(part, { force: true });
    throw cause;
  }
}

function copy(file: string, part: string): void {
  requireRoom(part, statSync(file).size);
  copyFileSync(file, part, constants.COPYFILE_FICLONE);
}

const notThatFile = (name: string, found: string, wrong: string) =>
  `This is not the published file of ${name}: its SHA-256 is ${found}, not ${wrong}. Nothing was added.`;

/** Prepares the model: a file that is cut off, or packed in a way that is not known, ends here. */
async function requireModel(path: string, name: string, cacheFolders: readonly string[]): Promise<ModelFile> {
  try {
    const model = locateModel(path);
    if (model.format === 'ggml')
      await prepareModel(model, cacheFolders, { memoryCapBytes: memoryCapBytes(model.workerBytes) });
    return model;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.replaceAll(path, 'it') : String(cause);
    throw invalid(`${name} cannot be used: ${why.replace(/\.$/, '')}.`, { cause });
  }
}
