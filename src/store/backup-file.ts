import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError } from '../domain/errors.ts';
import { DatabaseUnusable } from './unusable.ts';

export interface BackupFile {
  file: string;
  bytes: number;
}

/** Copies of the whole database. Neither of the two migrates: people take a backup before an upgrade. */
export interface Backups {
  /** One snapshot, even while servers write. Raises `conflict` when the file exists and `force` is not set. */
  backup(target: string, options: { force: boolean }): Promise<BackupFile>;
  /**
   * Replaces the database with a backup and returns where the old data is now. Raises `conflict` while a server runs,
   * and when there is data and `replace` is not set; `validation_error` for a file that is not a backup.
   */
  restore(file: string, options: { replace: boolean; at: Date }): Promise<{ keptAside: string | null }>;
}

/**
 * Writes `target` completely or not at all: `produce` fills a file beside it, which is synced to disk and then renamed.
 * Only its owner can read it, since it has everybody's notes. Raises `conflict` when the name is taken.
 */
export async function writeBackupFile(
  target: string,
  { force }: { force: boolean },
  produce: (part: string) => Promise<void>,
): Promise<BackupFile> {
  const file = resolve(target);
  const taken = () =>
    new AppError('conflict', `${file} exists; choose another name, or add --force to replace it.`);
  if (existsSync(file) && statSync(file).isDirectory())
    throw new AppError('validation_error', `${file} is a folder; give the name of a file.`);
  if (existsSync(file) && !force) throw taken();
  if (!existsSync(dirname(file)))
    throw new AppError('not_found', `The folder ${dirname(file)} does not exist; create it first.`);
  const part = `${file}.part-${randomBytes(4).toString('hex')}`;
  try {
    closeSync(openSync(part, 'wx', 0o600));
    await produce(part);
    syncToDisk(part);
    if (force) renameSync(part, file);
    else takeName(part, file, taken);
    syncToDisk(dirname(file));
    return { file, bytes: statSync(file).size };
  } catch (cause) {
    throw explainUnwritable(cause, file);
  } finally {
    if (existsSync(part)) rmSync(part);
  }
}

/** Explains errors of the file system, which have a code like ENOSPC; others have a message of their own. */
function explainUnwritable(cause: unknown, file: string): unknown {
  const isFromSystem = cause instanceof Error && 'syscall' in cause && 'code' in cause;
  if (!isFromSystem) return cause;
  return new DatabaseUnusable(`${file} cannot be written (${cause.code}); check the folder and the disk.`, {
    cause,
  });
}

export function syncToDisk(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** A rename would replace a file that appeared meanwhile; a link does not. FAT, as on memory sticks, has no links. */
function takeName(part: string, file: string, taken: () => AppError): void {
  try {
    linkSync(part, file);
    unlinkSync(part);
  } catch (cause) {
    if (existsSync(file)) throw taken();
    if (cause instanceof Error && 'code' in cause && cause.code !== 'EEXIST') renameSync(part, file);
    else throw cause;
  }
}
