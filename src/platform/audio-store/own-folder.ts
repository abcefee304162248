import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conflict } from '../../domain/errors.ts';
import { newUuid } from '../../lib/uuid.ts';
import type { InstallationStore } from '../database/ports/installation-store.ts';

const rowName = 'audio_folder';

/**
 * Servers that share a database must share the audio. A folder has a name of its own in a file, and the database remembers the
 * folder in use: raises `conflict` when another server runs with another one.
 */
export async function requireSharedFolder(
  folder: string,
  { installation, hasOthers }: { installation: InstallationStore; hasOthers(): Promise<boolean> },
): Promise<void> {
  const own = nameOf(folder);
  const inUse = await installation.valueOf(rowName, own);
  if (inUse === own) return;
  if (await hasOthers())
    throw conflict(
      `Another server uses this database and keeps the audio of recordings in a folder of its own, where ${folder} cannot see it: set STENO_RECORDINGS_URL to an S3 store on all servers, or STENO_AUDIO_LOCAL=yes if people never need the audio of the other server.`,
    );
  await installation.set(rowName, own);
}

function nameOf(folder: string): string {
  const file = join(folder, 'name');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, newUuid(), { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'EEXIST')) throw cause;
  }
  return readFileSync(file, 'utf8');
}
