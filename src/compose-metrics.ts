import { statfs } from 'node:fs/promises';
import type { Transcriber } from './engines/ports/transcriber.ts';
import type { QueueAge } from './kernel/job.ts';
import { remembered } from './lib/remembered.ts';
import { version } from './lib/version.ts';
import type { LastBackup } from './platform/backup/last.ts';
import type { Database } from './platform/database/database.ts';
import { createFigures } from './platform/database/figures.ts';
import type { Metrics, Sample } from './platform/http/metrics.ts';

interface Parts {
  database: Database;
  transcriber: Transcriber;
  dataDir: string;
  recordings(): Promise<Record<'queued' | 'transcribing', QueueAge>>;
  languageJobs(): Promise<Record<'queued' | 'writing', QueueAge>>;
  lastBackup(): Promise<LastBackup | null>;
}

/** Sums over whole tables. */
const rememberMs = 60_000;

/** What /metrics reads when it is asked. Counters are counted where things happen. */
export function watchParts(metrics: Metrics, parts: Parts): void {
  const { database, transcriber, dataDir } = parts;
  const figures = createFigures(database);
  const { watch } = metrics;

  const build = { version, node: process.versions.node, database: database.name };
  watch('steno_build_info', 'Version of Steno and of Node, and the kind of database. Always 1.', () => [
    [build, 1],
  ]);

  const watchQueue = (name: string, what: string, read: () => Promise<Record<string, QueueAge>>) => {
    const each = (field: keyof QueueAge) => async () =>
      Object.entries(await read()).map(([state, queue]): Sample => [{ state }, queue[field]]);
    watch(`steno_${name}_in_queue`, `${what} that wait, and that are worked on.`, each('count'));
    watch(
      `steno_${name}_oldest_seconds`,
      `How long the first of the ${what.toLowerCase()} has waited, and how long one in work has made no progress.`,
      each('oldestSeconds'),
    );
  };
  watchQueue('recordings', 'Recordings', parts.recordings);
  watchQueue('language_jobs', 'Texts', parts.languageJobs);

  watch('steno_recognisers', 'Processes that transcribe: wanted, ready (busy ones too) and busy.', () =>
    Object.entries(transcriber.status().workers).map(([state, count]): Sample => [{ state }, count]),
  );
  watch('steno_speech_ready', 'Whether speech can be transcribed: 1, or 0.', () => [
    [{}, transcriber.status().state === 'ready' ? 1 : 0],
  ]);
  watch('steno_database_connections', 'Connections to PostgreSQL, by pool and state. None with SQLite.', () =>
    database.pools().flatMap(({ pool, busy, idle }): Sample[] => [
      [{ pool, state: 'busy' }, busy],
      [{ pool, state: 'idle' }, idle],
    ]),
  );
  watch('steno_database_waiters', 'Calls that wait for a connection to PostgreSQL, by pool.', () =>
    database.pools().map(({ pool, waiting }): Sample => [{ pool }, waiting]),
  );
  watch('steno_search_unindexed_notes', 'Notes whose last text a search does not find yet.', async () => [
    [{}, await figures.unindexedNotes()],
  ]);
  watch('steno_webhooks', 'Webhooks: active, failing (accepts nothing at the moment) and paused.', async () =>
    Object.entries(await figures.webhooks()).map(([status, count]): Sample => [{ status }, count]),
  );

  const databaseBytes = remembered(rememberMs, figures.databaseBytes);
  const audioBytes = remembered(rememberMs, figures.audioBytes);
  watch('steno_database_size_bytes', 'Size of the database, its indexes included.', async () => [
    [{}, await databaseBytes()],
  ]);
  watch('steno_audio_size_bytes', 'Size of the audio of all recordings.', async () => [
    [{}, await audioBytes()],
  ]);
  const disk = () => statfs(dataDir);
  watch('steno_disk_free_bytes', 'Room on the disk of the data folder that this user may use.', async () => {
    const { bavail, bsize } = await disk();
    return [[{}, bavail * bsize]];
  });
  watch('steno_disk_size_bytes', 'Size of the disk of the data folder.', async () => {
    const { blocks, bsize } = await disk();
    return [[{}, blocks * bsize]];
  });
  // Without a backup there is no figure, and `absent()` of Prometheus tells.
  watch('steno_last_backup_timestamp_seconds', 'When the last good backup was made.', async () => {
    const last = await parts.lastBackup();
    return last ? [[{ kind: 'full' }, Date.parse(last.at) / 1000]] : [];
  });
}
