import type { Config } from '../config.ts';
import { broken, type Check, ok, reasonOf, warning } from '../domain/status.ts';
import * as recordings from '../features/recordings/queries.ts';
import { openAudioStore } from '../platform/audio-store/index.ts';
import type { Database } from '../platform/database/database.ts';

/** Does every recording have its audio, and does all audio belong to a recording? */
export async function checkRecordings(
  { recordings: place, databaseUrl }: Config,
  database: Database,
): Promise<Check> {
  // Servers that share a database may each have a folder: what is not here may be there.
  const mayBeElsewhere = databaseUrl !== '' && place.url === '';
  try {
    const { db } = database;
    const audioStore = await openAudioStore(place);
    // A recording uploaded meanwhile must be on both sides, so the audio is listed between two reads of the database.
    const before = await recordings.withAudio(db);
    const stored = new Map<string, number>();
    for await (const { id, bytes } of audioStore.list()) stored.set(id, bytes);
    const after = new Set((await recordings.withAudio(db)).map(({ id }) => id));
    const doomed = new Set(await recordings.doomed(db));
    const silent = before.filter(({ id, bytes }) => after.has(id) && (stored.get(id) ?? 0) < bytes);
    const known = new Set(before.map(({ id }) => id));
    const orphans = [...stored.keys()].filter((id) => !known.has(id) && !after.has(id) && !doomed.has(id));
    if (silent.length > 0)
      return broken(
        'recordings',
        `without their audio: ${silent.length}, for example ${silent[0]?.id}`,
        mayBeElsewhere
          ? 'look for it in the data folders of your other servers, and set STENO_RECORDINGS_URL so that all share it'
          : 'restore the audio of a backup',
      );
    return orphans.length === 0
      ? ok('recordings', `${stored.size} audio files, each with its recording`)
      : warning(
          'recordings',
          `audio files without a recording: ${orphans.length}, for example ${orphans[0]}`,
          'keep them if another Steno uses this store or folder; otherwise nothing needs them',
        );
  } catch (cause) {
    return broken('recordings', reasonOf(cause), 'check STENO_RECORDINGS_URL and the data folder');
  }
}
