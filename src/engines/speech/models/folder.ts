import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { AppError, invalid } from '../../../domain/errors.ts';

/** The folder `models` in the data folder: the files that were added, and which of them is in use. */
const choiceFile = 'in-use';
const endings: readonly string[] = ['.bin', '.gguf'];

/** The path of the model that was chosen; null when none was. Raises when it is not there any more. */
export function chosenModelPath(folder: string): string | null {
  const name = chosenModel(folder);
  if (name === null) return null;
  const path = installedPath(folder, name);
  if (path === null)
    throw new AppError(
      'not_found',
      `The model in use, ${name}, is not in ${folder}. Choose another with "steno models use".`,
    );
  return path;
}

/** The name of the model that was chosen; null when none was. */
export function chosenModel(folder: string): string | null {
  try {
    return readFileSync(join(folder, choiceFile), 'utf8').trim() || null;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    throw cause;
  }
}

/** Null chooses the model that comes with Steno. Servers read this when they start. */
export function chooseModel(folder: string, name: string | null): void {
  const file = join(folder, choiceFile);
  if (name === null) {
    rmSync(file, { force: true });
    return;
  }
  mkdirSync(folder, { recursive: true });
  // Whole or not at all, also when the machine stops in between.
  writeFileSync(`${file}.new`, `${name}\n`, { flush: true });
  renameSync(`${file}.new`, file);
}

/** The paths of all models in the folder. */
export function installedModels(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => endings.includes(parse(file).ext))
    .sort()
    .map((file) => join(folder, file));
}

export const installedPath = (folder: string, name: string) =>
  installedModels(folder).find((path) => parse(path).name === name) ?? null;

/** A name becomes the name of a file. Raises a validation error when it cannot. */
export function requireModelName(name: string): string {
  if (/^[a-z0-9][\w.+-]{0,99}$/i.test(name)) return name;
  throw invalid(
    `"${name}" cannot be the name of a model. Choose another with --name: letters, digits and . _ + - only.`,
  );
}
