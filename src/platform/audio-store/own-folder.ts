import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { conflict } from '../../domain/errors.ts';
import { newUuid } from '../../lib/uuid.ts';
import type { Database } from '../database/database.ts';
import { setInstalledValue, sharedValue } from '../database/installation.ts';

const rowName = 'audio_folder';

/**
 * Servers that share a database must share the audio. A folder has a name of its own in a file, and the database remembers the
 * folder in use: raises `conflict` when another server runs with another one.
 */
export async function requireSharedFolder(
  folder: string,
  database: Pick<Database, 'db' | 'write' | 'hasOthers'>,
): Promise<void> {
  const own = nameOf(folder);
  const inUse = await sharedValue(database, rowName, own);
  if (inUse === own) return;
  if (await database.hasOthers())
    throw conflict(
      `Another server uses this database and keeps the audio of recordings in a folder of its own, where ${folder} cannot see it: set STENO_RECORDINGS_URL to an S3 store on all servers, or STENO_AUDIO_LOCAL=yes if people never need the audio of the other server.`,
    );
  await database.write((tx) => setInstalledValue(tx, rowName, own));
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
