import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { readEnvFile } from '../env-file.ts';
import { startTimeline } from '../features/changes/queries.ts';
import { openAudioStore } from '../platform/audio-store/index.ts';
import { copyAudio } from '../platform/backup/copy-audio.ts';
import { openBackups } from '../platform/database/backups.ts';
import type { Rows } from '../platform/database/rows.ts';
import { readAllSettings, settingsFile } from '../settings-file.ts';
import { type CliContext, type Printed, printing, prints, withServices } from './command.ts';
import { UsageError } from './errors.ts';
import { progressBar } from './progress.ts';

interface MoveOptions {
  to?: string;
  audioTo?: string;
  toEnvFile?: string;
}

export function moveCommand(program: Command, context: CliContext): void {
  printing(
    program,
    'move',
    'copy everything to an empty database of either kind, and check it; stop all servers first, the old data stays as it is',
    'move --to postgres://steno:secret@db.example/steno --audio-to s3://KEY:SECRET@s3.example/steno',
  )
    .option('--to <database>', 'postgres://…, or a folder for SQLite')
    .option(
      '--audio-to <place>',
      'also copy the audio of recordings: to s3://…, or into a data folder (default: from the old data folder to the folder of --to; audio in an S3 store stays there)',
    )
    .option(
      '--to-env-file <file>',
      'instead of both: the file with the settings of the new servers, which keeps secrets out of the list of processes',
    )
    .action(prints(context, (options: MoveOptions) => move(context, options)));
}

/** The audio first: it takes longest, and is there already if the command runs again. The database is all or nothing. */
async function move(context: CliContext, options: MoveOptions): Promise<Printed> {
  const config = context.config();
  const target = targetOf(config, options);
  const [from, to] = [await openBackups(config), await openBackups(target)];
  await to.requireEmpty();
  const recordings = await from.reading(recordingsIn);
  const isSame =
    config.recordings.url === target.recordings.url &&
    (config.recordings.url !== '' || config.recordings.folder === target.recordings.folder);
  const bar = progressBar();
  const stores = isSame
    ? undefined
    : ([await openAudioStore(config.recordings), await openAudioStore(target.recordings)] as const);
  const audio =
    stores &&
    (await copyAudio(recordings, ...stores, (done) =>
      bar.show(done / recordings.length, `recording ${done + 1} of ${recordings.length}`),
    ));
  for (const store of stores ?? []) store.close();
  bar.clear();
  const tables = await from.reading((rows) => to.writeRows(rows, new Date()));
  // A new timeline: the old data may still be written to, and clients must not mistake one for the other.
  await withServices({ ...context, config: () => target }, ({ database }) =>
    startTimeline(database, { always: true }),
  );
  const rows = [...tables.values()].reduce((sum, table) => sum + table.rows, 0);
  const lines = [
    `Moved ${rows} rows of ${tables.size} tables to ${nameOf(target)}: read again there, each table has the same rows and the same digest.`,
    audio === undefined
      ? `The audio of ${recordings.length} recordings stays where it is.`
      : `The audio of ${audio.copied + audio.present} recordings is in ${placeOf(target)}, compared byte by byte; ${audio.copied} were copied now.`,
  ];
  if (audio?.missing)
    lines.push(`Without the audio of ${audio.missing} recordings, which the old store does not have.`);
  if (config.dataDir !== target.dataDir && existsSync(settingsFile(config.dataDir)))
    lines.push(
      `Copy ${settingsFile(config.dataDir)} to ${target.dataDir} too: it has settings that were made in the browser.`,
    );
  lines.push(`The old data stays as it was. Now start the servers with ${settingsFor(target)}.`);
  return [{ to: nameOf(target), tables: Object.fromEntries(tables), audio: audio ?? null }, lines.join('\n')];
}

function targetOf(config: Config, { to, audioTo, toEnvFile }: MoveOptions): Config {
  if ((to === undefined) === (toEnvFile === undefined) || (toEnvFile !== undefined && audioTo !== undefined))
    throw new UsageError(
      'Name the new database with --to, or the settings of the new servers with --to-env-file.',
    );
  if (to === undefined) return readAllSettings(readEnvFile(String(toEnvFile)));
  const isPostgres = /^postgres(ql)?:\/\//.test(to);
  if (isPostgres ? !URL.canParse(to) : /^\w+:\/\//.test(to))
    throw new UsageError(`--to must be postgres://…, or a folder for SQLite.`);
  const dataDir = isPostgres ? config.dataDir : resolve(to);
  const inFolder = resolve(dataDir, 'recordings');
  const recordings =
    audioTo === undefined
      ? // Audio in an S3 store stays there.
        { ...config.recordings, folder: inFolder }
      : audioTo.startsWith('s3://')
        ? { ...config.recordings, url: audioTo, folder: inFolder }
        : { ...config.recordings, url: '', folder: resolve(audioTo, 'recordings') };
  return { ...config, databaseUrl: isPostgres ? to : '', databaseListenUrl: '', dataDir, recordings };
}

async function recordingsIn(rows: Rows): Promise<{ id: string; bytes: number }[]> {
  const found: { id: string; bytes: number }[] = [];
  for await (const [id, bytes, hasAudio] of rows.read({
    name: 'recordings',
    columns: ['id', 'bytes', 'has_audio'],
  }))
    if (hasAudio === 1) found.push({ id: String(id), bytes: Number(bytes) });
  return found;
}

/** Without what is secret. */
function nameOf({ databaseUrl, dataDir }: Config): string {
  if (databaseUrl === '') return dataDir;
  const { hostname, port, pathname } = new URL(databaseUrl);
  return `${hostname}:${port || 5432}${pathname}`;
}

function placeOf({ recordings: { url, folder } }: Config): string {
  if (url === '') return folder;
  const { host, pathname } = new URL(url);
  return `s3://${host}${pathname}`;
}

function settingsFor({ databaseUrl, recordings }: Config): string {
  const database = databaseUrl === '' ? 'STENO_DATA_DIR' : 'STENO_DATABASE_URL';
  return recordings.url === '' ? `the new ${database}` : `the new ${database} and STENO_RECORDINGS_URL`;
}
