import { existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AppError, invalid, serviceUnavailable } from '../../domain/errors.ts';
import type { AudioStore } from '../audio-store/audio-store.ts';
import { sizes } from './copy-audio.ts';

type OpenStore = (place: { url: string; folder: string; ending: string }) => Promise<AudioStore>;

/** Where backups are: a folder, or a store that speaks S3. Files are named, and never change once they are whole. */
export interface BackupPlace {
  /** Without what is secret. */
  readonly name: string;
  list(): Promise<Map<string, number>>;
  put(name: string, chunks: AsyncIterable<Uint8Array>): Promise<void>;
  /** The first `bytes` of the file. Raises when they are not there. */
  read(name: string, bytes: number): AsyncIterable<Uint8Array>;
  remove(name: string): Promise<void>;
}

/** `address` is `s3://…`, or a folder whose parent folder exists. Files are read and written by the client that also stores the audio of recordings. */
export async function openPlace(address: string, openStore: OpenStore): Promise<BackupPlace> {
  const isS3 = address.startsWith('s3://');
  const name = isS3 ? withoutSecrets(address) : resolve(address);
  if (!isS3) requireFolder(name);
  const files = await openStore({ url: isS3 ? address : '', folder: isS3 ? '' : name, ending: '' });

  /** The message of the audio store is about recordings, so only its reason is kept. */
  function refuse(cause: unknown): never {
    const reason =
      cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    throw serviceUnavailable(`The place of backups ${name} cannot be used: ${reason}.`, { cause });
  }

  return {
    name,
    list: () => sizes(files).catch(refuse),
    async put(file, chunks) {
      await files.remove(file).catch(refuse);
      await files.append(file, 0, chunks, async () => {}).catch(refuse);
    },
    read: (file, bytes) => files.read(file, { start: 0, end: bytes }),
    remove: (file) => files.remove(file).catch(refuse),
  };
}

function withoutSecrets(address: string): string {
  const { host, pathname } = new URL(address);
  return `s3://${host}${pathname}`;
}

function requireFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw invalid(`${folder} is a file; give the name of a folder for backups.`);
  if (!existsSync(dirname(folder)))
    throw new AppError('not_found', `The folder ${dirname(folder)} does not exist; create it first.`);
}
