import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { openDatabase } from '../compose.ts';
import type { Config } from '../config.ts';
import { AppError } from '../domain/errors.ts';
import { startTimeline } from '../features/changes/queries.ts';
import { version } from '../lib/version.ts';
import { openAudioStore } from '../platform/audio-store/index.ts';
import { listBackups, makeBackup, openBackup, rotate } from '../platform/backup/backups.ts';
import { type LastBackup, lastBackupName } from '../platform/backup/last.ts';
import { openPlace } from '../platform/backup/place.ts';
import { openBackups } from '../platform/database/backups.ts';
import { createStore } from '../store.ts';
import { type CliContext, withServices } from './context.ts';
import { UsageError } from './errors.ts';
import { example } from './help.ts';
import { keep as parseKeep } from './input.ts';
import { answer, type OutputOptions, table, withJson } from './output.ts';

interface BackupOptions extends OutputOptions {
  keep?: string;
  audio: boolean;
}

interface RestoreOptions extends OutputOptions {
  at?: string;
  yes?: true;
  audio: boolean;
  check?: true;
  list?: true;
}

const placeHelp = 'a folder, or an S3 store s3://… (default: STENO_BACKUP_URL)';

export function backupCommands(program: Command, context: CliContext): void {
  withJson(program.command('backup'))
    .description(
      'add a backup of everything to a place, each file with its SHA-256; servers can keep running',
    )
    .argument('[place]', placeHelp)
    .option('--keep <number>', 'then delete all but the newest backups of the place')
    .option('--without-audio', 'leave out the audio of recordings')
    .addHelpText('after', example('backup /var/backups/steno --keep 7'))
    .action((place: string | undefined, options: BackupOptions & { withoutAudio?: true }) =>
      backup(context, place, { ...options, audio: !options.withoutAudio }),
    );

  withJson(program.command('restore'))
    .description('check a backup, and replace the database and the audio with it; stop all servers first')
    .argument('[place]', `${placeHelp}, or the file of a SQLite database`)
    .option('--at <backup>', 'the backup of that name (default: the newest)')
    .option('--yes', 'replace existing data; the old data is kept')
    .option('--without-audio', 'leave out the audio of recordings, and do not check it')
    .option('--check', 'only check the backup, and change nothing')
    .option('--list', 'only show the backups of the place')
    .addHelpText('after', example('restore /var/backups/steno --yes'))
    .action((place: string | undefined, options: RestoreOptions & { withoutAudio?: true }) =>
      restore(context, place, { ...options, audio: !options.withoutAudio }),
    );
}

async function backup(context: CliContext, given: string | undefined, options: BackupOptions): Promise<void> {
  const config = context.config();
  const keep = options.keep === undefined ? undefined : parseKeep(options.keep);
  const place = await openPlace(addressOf(config, given), openAudioStore);
  const copies = await openBackups(config);
  const audio = options.audio ? await openAudioStore(config.recordings) : null;
  const scratch = scratchFile(config);
  const at = new Date();
  const {
    backup: name,
    manifest: made,
    sent,
  } = await makeBackup({ place, copies, audio, scratch }, { steno: version, at });
  const deleted = keep === undefined ? [] : await rotate(place, keep);
  await noteBackup(config, { at: at.toISOString(), place: place.name });
  const left = made.left_out;
  const data = {
    place: place.name,
    backup: name,
    database_bytes: made.database.bytes,
    recordings: made.audio.length,
    recordings_sent: sent,
    recordings_left_out: left.length,
    deleted,
  };
  answer(context, options, data, () =>
    [
      `Wrote and checked the backup ${name} in ${place.name}: the database (${megabytes(made.database.bytes)}) and the audio of ${made.audio.length} recordings, ${sent} of them new.`,
      ...(left.length === 0
        ? []
        : [
            `Without the audio of ${left.length} recordings (${megabytes(sum(left))})${options.audio ? `, which the audio store does not have, for example ${left[0]?.id}` : ''}.`,
          ]),
      ...deleted.map((old) => `Deleted the backup ${old}.`),
    ].join('\n'),
  );
}

/** For `steno doctor` and /metrics. It does not migrate: people make a backup before an upgrade. */
async function noteBackup(config: Config, made: LastBackup): Promise<void> {
  const database = await openDatabase(config);
  try {
    await createStore(database).installation.set(lastBackupName, JSON.stringify(made));
  } finally {
    await database.close();
  }
}

async function restore(
  context: CliContext,
  given: string | undefined,
  options: RestoreOptions,
): Promise<void> {
  const config = context.config();
  const address = addressOf(config, given);
  if (!address.startsWith('s3://')) {
    const found = statSync(resolve(address), { throwIfNoEntry: false });
    if (!found) throw new AppError('not_found', `There is no ${resolve(address)}; check its name.`);
    if (found.isFile()) return restoreFile(context, resolve(address), options);
  }
  const place = await openPlace(address, openAudioStore);
  if (options.list) {
    const rows = await listBackups(place);
    return answer(context, options, rows, () =>
      table(
        rows.map((row) => ({
          ...row,
          bytes: megabytes(row.bytes),
          recordings: String(row.recordings),
          left_out: String(row.left_out),
        })),
        ['backup', 'database', 'bytes', 'recordings', 'left_out'],
        'No backups.',
      ),
    );
  }
  const found = await openBackup(place, options.at, { withAudio: options.audio });
  const copies = await openBackups(config);
  const { database, audio, left_out: left } = found.manifest;
  if (database.kind !== copies.kind)
    throw new AppError(
      'validation_error',
      `This backup is of ${named[database.kind]}, but the settings name ${named[copies.kind]}; set STENO_DATABASE_URL, or leave it empty, to match, and then use "steno move" if you want the other.`,
    );
  const without = left.length + (options.audio ? 0 : audio.length);
  const missing = without === 0 ? '' : ` Without the audio of ${without} recordings.`;
  if (options.check)
    return answer(
      context,
      options,
      { backup: found.backup, ok: true, recordings: audio.length, recordings_left_out: without },
      () =>
        `The backup ${found.backup} is whole: the database and the audio of ${options.audio ? audio.length : 0} recordings.${missing}`,
    );
  const scratch = scratchFile(config);
  try {
    await found.fetchDatabase(scratch);
    const { keptAside } = await copies.restore(scratch, {
      replace: options.yes ?? false,
      at: new Date(),
      first: async () => {
        if (options.audio) await found.fetchAudio(await openAudioStore(config.recordings));
      },
    });
    await beginAnew(context);
    answer(
      context,
      options,
      { backup: found.backup, kept_aside: keptAside, recordings_left_out: without },
      () => restored(`the backup ${found.backup}`, keptAside) + missing,
    );
  } finally {
    rmSync(scratch, { force: true });
  }
}

/** What a restore kept aside, or a backup of an earlier version: there are no digests, and SQLite's own check must do. */
async function restoreFile(context: CliContext, file: string, options: RestoreOptions): Promise<void> {
  const copies = await openBackups(context.config());
  if (options.check || options.list)
    throw new UsageError(
      `${file} is a file without a manifest; --check and --list are for places of backups.`,
    );
  const { keptAside } = await copies.restore(file, {
    replace: options.yes ?? false,
    at: new Date(),
    first: async () => {},
  });
  await beginAnew(context);
  answer(
    context,
    options,
    { file, kept_aside: keptAside },
    () =>
      `${restored(file, keptAside)} The file has no manifest, so it was checked by SQLite alone, and it brings no audio.`,
  );
}

/** A new timeline: clients must not mistake restored changes for those they have seen. */
const beginAnew = (context: CliContext) =>
  withServices(context, ({ database }) => startTimeline(database, { always: true }));

const restored = (what: string, keptAside: string | null) =>
  `Restored ${what}.${keptAside === null ? '' : ` The old data is kept in ${keptAside}.`}`;

const named = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

function addressOf({ backupUrl }: Config, given: string | undefined): string {
  const address = given ?? backupUrl;
  if (address === '')
    throw new UsageError('Name a folder or an S3 store for backups, or set STENO_BACKUP_URL.');
  return address;
}

/** On the disk of the data, which has room for its database. */
function scratchFile({ dataDir }: Config): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return join(dataDir, `backup.part-${randomBytes(4).toString('hex')}`);
}

const sum = (files: readonly { bytes: number }[]) => files.reduce((total, { bytes }) => total + bytes, 0);
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
