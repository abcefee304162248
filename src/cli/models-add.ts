import { statSync } from 'node:fs';
import { AppError } from '../domain/errors.ts';
import { boxedName, cacheFolders, hashFile, modelName } from '../engines/speech/index.ts';
import { addModel, type ModelSource } from '../engines/speech/models/add.ts';
import { downloadUrl, knownModel } from '../engines/speech/models/catalogue.ts';
import { installedPath } from '../engines/speech/models/folder.ts';
import type { CliContext } from './command.ts';
import { Failure, UsageError } from './errors.ts';
import { downloadProgress } from './progress.ts';

export interface AddOptions {
  name?: string;
  sha256?: string;
}

/** Puts a model into the folder of models, from the hub, an address or a file. */
export async function addNamed(context: CliContext, wanted: string, options: AddOptions): Promise<void> {
  const { modelsFolder: folder, cacheFolder } = context.config().engine;
  const source = sourceOf(context, wanted, options);
  const present = installedPath(folder, source.name);
  if (source.name === boxedName)
    throw taken(`${boxedName} comes with Steno. Call another file something else with --name.`);
  if (present !== null) {
    if (source.sha256 === null || (await hashFile(present)) === source.sha256)
      throw taken(`${source.name} is already there: ${present}`);
    context.print(`${source.name} is damaged, or another file; it is replaced.`);
  }
  const bar = downloadProgress();
  const onProgress = (done: number, total: number | null) =>
    bar.show(
      total ? done / total : 0,
      `${source.name}, ${megabytes(done)} of ${total ? megabytes(total) : '?'}`,
    );
  const stop = new AbortController();
  const onSignal = () =>
    stop.abort(new Failure('Stopped. Run the command again: it goes on where it stopped.'));
  process.once('SIGINT', onSignal);
  try {
    const added = await addModel(source, {
      folder,
      cacheFolders: cacheFolders(cacheFolder),
      onProgress,
      signal: stop.signal,
    });
    bar.clear();
    const sum = added.isVerified
      ? 'Its checksum is the published one.'
      : `No checksum is published for it; its SHA-256 is ${added.sha256}.`;
    context.print(`Added ${added.name} (${megabytes(added.bytes)}). ${sum}`);
    context.print(
      `Try it:  npx steno models test ${added.name}\nUse it:  npx steno models use ${added.name}`,
    );
  } finally {
    bar.clear();
    process.removeListener('SIGINT', onSignal);
  }
}

/** Tries a name from the list, then an address, then a file. */
function sourceOf(context: CliContext, wanted: string, options: AddOptions): ModelSource {
  const asked = options.sha256?.toLowerCase() ?? null;
  if (asked !== null && !/^[0-9a-f]{64}$/.test(asked))
    throw new UsageError('--sha256 must have 64 hexadecimal digits.');
  const known = knownModel(wanted);
  if (known)
    return {
      name: options.name ?? known.name,
      from: { url: downloadUrl(known, context.config().modelsUrl) },
      sha256: known.sha256,
    };
  if (/^https?:\/\//.test(wanted)) {
    if (!URL.canParse(wanted)) throw new UsageError(`${wanted} is not an address.`);
    const name = options.name ?? modelName(decodeURIComponent(new URL(wanted).pathname));
    return { name, from: { url: wanted }, sha256: asked };
  }
  if (!statSync(wanted, { throwIfNoEntry: false })?.isFile())
    throw new UsageError(
      `"${wanted}" is neither a model of "npx steno models list", nor an address, nor a file.`,
    );
  const name = options.name ?? modelName(wanted);
  // With `--name`, the user knows that the file is not the published one.
  return { name, from: { file: wanted }, sha256: asked ?? knownModel(name)?.sha256 ?? null };
}

export const taken = (message: string) => new AppError('conflict', message);
export const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
